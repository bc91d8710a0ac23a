"""Random bits of the reference: known answers of the generators, and of XLA."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference_arrays import run

from shlo_tools.reference import random


# Known answers of the generators' authors (Random123): key, counter -> block
def test_threefry_known_answers() -> None:
    cases = [
        ((0, 0), 0, (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), 2**64 - 1, (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), 0x85A308D3_243F6A88, (0xC4923A9C, 0x483DF7A0)),
    ]
    for key, counter, expected in cases:
        with np.errstate(over="ignore"):
            words = random.threefry_blocks(
                (np.uint32(key[0]), np.uint32(key[1])), np.array([counter], np.uint64)
            )
        assert tuple(int(word[0]) for word in words) == expected


def test_philox_known_answers() -> None:
    cases = [
        ((0, 0), 0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (
            (0xFFFFFFFF, 0xFFFFFFFF), 2**64 - 1, 2**64 - 1,
            (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
        ),
        (
            (0xA4093822, 0x299F31D0), 0x85A308D3_243F6A88, 0x03707344_13198A2E,
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ]  # fmt: skip
    for key, low, high, expected in cases:
        with np.errstate(over="ignore"):
            words = random.philox_blocks(
                (np.uint32(key[0]), np.uint32(key[1])),
                np.array([low], np.uint64),
                np.array([high], np.uint64),
            )
        assert tuple(int(word[0]) for word in words) == expected


# What XLA:CPU gives: algorithm, state, type of the output, new state, output
GENERATED = [
    ("THREE_FRY", [1, 2], "3xui32", [1, 4], [43444564, 2150618427, 3979645651]),
    ("THREE_FRY", [1, 2], "2x2xui32", [1, 4], [[43444564, 3979645651], [2150618427, 3745730563]]),
    ("PHILOX", [1, 2], "3xui32", [1, 3], [2100602697, 2847456232, 2074354647]),
    ("PHILOX", [1, 2, 7], "3xui32", [1, 3, 7], [756341956, 991452170, 717610872]),
    ("PHILOX", [1, 2, 7], "3xui8", [1, 3, 7], [196, 10, 120]),
    (
        "DEFAULT", [1, 2], "2x2xui64", [1, 4],
        [[12229731395331991369, 3437131457114678231], [13465615291114923006, 9328616520744100567]],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("algorithm", "state", "type", "new", "output"), GENERATED)
def test_rng_bit_generator(
    algorithm: str, state: list[int], type: str, new: list[int], output: Any
) -> None:
    attributes = f"tensor<{len(state)}xui64>"
    body = f"""
      %0:2 = stablehlo.rng_bit_generator %s, algorithm = {algorithm} :
        ({attributes}) -> ({attributes}, tensor<{type}>)
      return %0#0, %0#1 : {attributes}, tensor<{type}>"""
    signature = f"(%s: {attributes}) -> ({attributes}, tensor<{type}>)"
    after, bits = run(body, np.array(state, np.uint64), signature=signature)
    assert after.tolist() == new
    assert bits.tolist() == output
