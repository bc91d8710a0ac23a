"""Language models: Hugging Face's Transformers and Flax; training by Optax."""

from __future__ import annotations

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from transformers import FlaxGPT2LMHeadModel, FlaxLlamaForCausalLM, GPT2Config, LlamaConfig

from shlo_tools.tools.bench.jax_programs.registry import Built, integers, program
from shlo_tools.tools.bench.library_programs.arguments import key, trained

_FAMILY = "language"


def _gpt2(width: int, tokens: int) -> Any:
    sizes = {"n_embd": width, "n_layer": 4, "n_head": 4, "n_positions": 64}
    ends = {"bos_token_id": 0, "eos_token_id": 0}
    return FlaxGPT2LMHeadModel(GPT2Config(vocab_size=tokens, **sizes, **ends))


def _next_token_loss(logits: jax.Array, tokens: jax.Array) -> jax.Array:
    losses = optax.softmax_cross_entropy_with_integer_labels(logits[:, :-1], tokens[:, 1:])
    return losses.mean()


@program(_FAMILY)
def transformers_gpt2(generator: np.random.Generator) -> Built:
    """Causal attention over two whole texts; the embedding is also the last layer."""
    model = _gpt2(128, 512)

    def function(parameters: Any, tokens: jax.Array) -> jax.Array:
        return model(tokens, params=parameters).logits

    return function, (trained(generator, model.params), integers(generator, 512, 2, 64))


@program(_FAMILY)
def transformers_gpt2_training(generator: np.random.Generator) -> Built:
    """A step of AdamW with dropout and clipped gradients."""
    model = _gpt2(64, 256)
    adamw = optax.adamw(3e-4, b2=0.95, weight_decay=0.1)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), adamw)

    def step(parameters: Any, moments: Any, tokens: jax.Array, dropout: jax.Array) -> Any:
        def loss(parameters: Any) -> jax.Array:
            outputs = model(tokens, params=parameters, dropout_rng=dropout, train=True)
            return _next_token_loss(outputs.logits, tokens)

        value, gradients = jax.value_and_grad(loss)(parameters)
        updates, moments = optimizer.update(gradients, moments, parameters)
        return value, optax.apply_updates(parameters, updates), moments

    parameters, tokens = trained(generator, model.params), integers(generator, 256, 4, 32)
    return step, (parameters, optimizer.init(parameters), tokens, key(1))


@program(_FAMILY)
def transformers_gpt2_decoding(generator: np.random.Generator) -> Built:
    """The 21st token of two texts: a cache of 64 is updated where the texts are."""
    model, mask = _gpt2(128, 512), np.ones((2, 64), np.int32)
    parameters = trained(generator, model.params)

    def step(parameters: Any, cache: Any, tokens: Any, positions: Any, mask: Any) -> Any:
        places = {"attention_mask": mask, "position_ids": positions}
        outputs = model(tokens, params=parameters, past_key_values=cache, **places)
        return jnp.argmax(outputs.logits[:, -1], -1), outputs.logits, outputs.past_key_values

    prompt, positions = (
        integers(generator, 512, 2, 20),
        np.tile(np.arange(20, dtype=np.int32), (2, 1)),
    )
    token, _, cache = step(parameters, model.init_cache(2, 64), prompt, positions, mask)
    return step, (parameters, cache, token[:, None], positions[:, -1:] + 1, mask)


@program(_FAMILY)
def transformers_llama(generator: np.random.Generator) -> Built:
    """Rotated positions, heads that share keys and values, gates and root mean squares."""
    sizes = {"hidden_size": 96, "intermediate_size": 256, "num_hidden_layers": 3}
    heads = {"num_attention_heads": 6, "num_key_value_heads": 2, "max_position_embeddings": 64}
    model = FlaxLlamaForCausalLM(LlamaConfig(vocab_size=512, **sizes, **heads), input_shape=(1, 8))

    def function(parameters: Any, tokens: jax.Array) -> jax.Array:
        return model(tokens, params=parameters).logits

    return function, (trained(generator, model.params), integers(generator, 512, 2, 48))


class _RecurrentModel(nn.Module):
    @nn.compact
    def __call__(self, tokens: jax.Array) -> jax.Array:
        x = nn.RNN(nn.OptimizedLSTMCell(96))(nn.Embed(128, 64)(tokens))
        return nn.Dense(128)(nn.RNN(nn.GRUCell(64))(x))


@program(_FAMILY)
def flax_lstm_training(generator: np.random.Generator) -> Built:
    """A step of Adam through two loops over time: LSTM cells below GRU cells."""
    network, tokens, optimizer = (
        _RecurrentModel(),
        integers(generator, 128, 8, 32),
        optax.adam(1e-3),
    )
    parameters = trained(generator, network.init(key(), tokens))

    def step(parameters: Any, moments: Any, tokens: jax.Array) -> Any:
        def loss(parameters: Any) -> jax.Array:
            return _next_token_loss(network.apply(parameters, tokens), tokens)

        value, gradients = jax.value_and_grad(loss)(parameters)
        updates, moments = optimizer.update(gradients, moments)
        return value, optax.apply_updates(parameters, updates), moments

    return step, (parameters, optimizer.init(parameters), tokens)
