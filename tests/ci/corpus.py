#!/usr/bin/env python3
"""The fuzzer's corpora: `corpus.py unpack`, `corpus.py pack`, `corpus.py check`.

Committed is one file for each target, core/fuzz/corpus/TARGET.hex: an input on each line, in
hexadecimal, the shorter ones first; what begins with # is a comment. The core's tests read these
files themselves. libFuzzer wants a folder with a file for each input: `unpack` writes it
(core/fuzz/corpus/TARGET/, which git ignores), and `pack` writes the line files from the folders.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[2] / "core/fuzz/corpus"
HEAD = "# Inputs for the fuzz target of this name, one on each line, in hexadecimal. Written by tests/ci/corpus.py.\n"


def main(arguments: list[str]) -> int:
    commands = {"pack": pack, "unpack": unpack, "check": check}
    if len(arguments) != 1 or arguments[0] not in commands:
        sys.exit(__doc__)
    for file in sorted(CORPUS.glob("*.hex")):
        commands[arguments[0]](file)
    return 0


def unpack(file: Path) -> None:
    folder = file.with_suffix("")
    folder.mkdir(exist_ok=True)
    for content in read(file.read_text()):
        # libFuzzer's own names, so that it knows an input again.
        (folder / hashlib.sha1(content, usedforsecurity=False).hexdigest()).write_bytes(content)


def pack(file: Path) -> None:
    folder = file.with_suffix("")
    if not folder.is_dir():
        sys.exit(f"error: {folder} is not there; `corpus.py unpack` makes it")
    file.write_text(written([path.read_bytes() for path in folder.iterdir()]))


def check(file: Path) -> None:
    text = file.read_text()
    if written(read(text)) != text:
        sys.exit(f"error: {file} is not as `corpus.py pack` writes it")


def read(text: str) -> list[bytes]:
    return [bytes.fromhex(line) for line in text.splitlines() if not line.startswith("#")]


def written(inputs: list[bytes]) -> str:
    """Every input once. libFuzzer tries the empty one by itself."""
    once = sorted(set(inputs) - {b""}, key=lambda content: (len(content), content))
    return HEAD + "".join(f"{content.hex()}\n" for content in once)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
