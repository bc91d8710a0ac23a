"""Words in short texts and in long ones, which are searched in two ways."""

from __future__ import annotations

import pytest

from shlo_tools.text.words import Words

_WORDS = (b"sdy.", b"//", b"#vhlo.", b"stablehlo.add", b'"a.b"')


@pytest.mark.parametrize("around", [0, 1, 100, 1 << 15, 1 << 17])
@pytest.mark.parametrize("word", _WORDS)
def test_words_are_found_wherever_they_stand(word: bytes, around: int) -> None:
    filling = (b"stablehlo.ad sdy #vhlo /a.b/ . " * (around // 31 + 1))[:around]
    for text in (word + filling, filling + word, filling + word + filling):
        assert word in Words(text)


@pytest.mark.parametrize("size", [0, 1, 100, 1 << 15, 1 << 17])
@pytest.mark.parametrize("word", _WORDS)
def test_parts_of_words_are_none(word: bytes, size: int) -> None:
    for part in (word[1:], word[:-1], word[::-1] if word != b"//" else b"/ /"):
        text = (part + b" ") * (size // (len(part) + 1) + 1)
        assert (word in Words(text)) == (word in text)
    assert word not in Words(b" " * size)
