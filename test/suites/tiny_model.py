#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a language model with random weights, as llama.cpp reads it (GGUF 3, architecture llama): small enough for the
emulated GPU, and each of its kernels does what it does for a model that knows something. Its tokens are bytes.

  tiny_model.py FILE [--seed N]"""

import argparse
import array
import random
import struct

EMBEDDING, HEADS, KEY_HEADS, FEED_FORWARD, LAYERS, CONTEXT = 128, 4, 2, 256, 2, 256
KEYS = EMBEDDING // HEADS * KEY_HEADS
# Numbers of the format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
UINT32, INT32, FLOAT32, STRING, ARRAY = 4, 5, 6, 8, 9
F32, F16 = 0, 1
ALIGNMENT = 32
UNKNOWN, CONTROL, BYTE = 2, 3, 6


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def scalar(kind, value):
    return text(value) if kind == STRING else struct.pack({UINT32: "<I", INT32: "<i", FLOAT32: "<f"}[kind], value)


def entry(key, kind, value):
    if not isinstance(value, list):
        return text(key) + struct.pack("<I", kind) + scalar(kind, value)
    return (text(key) + struct.pack("<IIQ", ARRAY, kind, len(value))
            + b"".join(scalar(kind, item) for item in value))


def entries():
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    kinds = [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256
    return [
        entry("general.architecture", STRING, "llama"),
        entry("llama.context_length", UINT32, CONTEXT),
        entry("llama.embedding_length", UINT32, EMBEDDING),
        entry("llama.block_count", UINT32, LAYERS),
        entry("llama.feed_forward_length", UINT32, FEED_FORWARD),
        entry("llama.attention.head_count", UINT32, HEADS),
        entry("llama.attention.head_count_kv", UINT32, KEY_HEADS),
        entry("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
        entry("llama.rope.dimension_count", UINT32, EMBEDDING // HEADS),
        entry("tokenizer.ggml.model", STRING, "llama"),
        entry("tokenizer.ggml.tokens", STRING, tokens),
        entry("tokenizer.ggml.scores", FLOAT32, [0.0] * len(tokens)),
        entry("tokenizer.ggml.token_type", INT32, kinds),
        entry("tokenizer.ggml.unknown_token_id", UINT32, 0),
        entry("tokenizer.ggml.bos_token_id", UINT32, 1),
        entry("tokenizer.ggml.eos_token_id", UINT32, 2),
    ], len(tokens)


def shapes(vocabulary):
    """By name, the fastest dimension first."""
    result = {"token_embd.weight": (EMBEDDING, vocabulary), "output_norm.weight": (EMBEDDING,),
              "output.weight": (EMBEDDING, vocabulary)}
    for layer in range(LAYERS):
        for name, shape in {"attn_norm": (EMBEDDING,), "attn_q": (EMBEDDING, EMBEDDING), "attn_k": (EMBEDDING, KEYS),
                            "attn_v": (EMBEDDING, KEYS), "attn_output": (EMBEDDING, EMBEDDING),
                            "ffn_norm": (EMBEDDING,), "ffn_gate": (EMBEDDING, FEED_FORWARD),
                            "ffn_up": (EMBEDDING, FEED_FORWARD), "ffn_down": (FEED_FORWARD, EMBEDDING)}.items():
            result[f"blk.{layer}.{name}.weight"] = shape
    return result


def weights(shape, numbers):
    """Norms are ones of 32 bits, matrices random numbers of 16."""
    if len(shape) == 1:
        return F32, array.array("f", [1.0] * shape[0]).tobytes()
    count, width = shape[0] * shape[1], shape[0] ** -0.5
    return F16, struct.pack(f"<{count}e", *(numbers.gauss(0, 2 * width) for _ in range(count)))


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def model(seed):
    numbers = random.Random(seed)
    metadata, vocabulary = entries()
    infos, data = b"", b""
    tensors = shapes(vocabulary)
    for name, shape in tensors.items():
        kind, content = weights(shape, numbers)
        infos += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, len(data))
        data += padded(content)
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    return padded(header + b"".join(metadata) + infos) + data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with open(arguments.file, "wb") as file:
        file.write(model(arguments.seed))


if __name__ == "__main__":
    main()
