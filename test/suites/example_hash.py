# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An example of hashcat's own for one of its hash modes, in files:

example_hash.py             lists the modes, a number in each line
example_hash.py MODE FOLDER writes FOLDER/MODE.hash and FOLDER/MODE.words, of which one is the password

Left out are modes that hash slowly on purpose, deprecated ones, those whose example is a file, and what hashcat does
not test itself, such as mode 2000, which prints words."""

import json
import pathlib
import subprocess
import sys

# hashcat takes $HEX[...] for the bytes, as it prints them itself.
OTHER_WORDS = ["luthier", "password", "123456", "$HEX[00ff]"]


def examples(text):
    """By mode, hash and password."""
    known = json.loads(text[text.index("{"):])
    return {mode: (each["example_hash"], each["example_pass"]) for mode, each in known.items()
            if not each["slow_hash"] and not each["is_deprecated"] and each["self_test_enabled"]
            and each["example_hash_format"] == "plain"}


def main():
    known = examples(subprocess.run(["hashcat", "--hash-info", "--machine-readable"], stdout=subprocess.PIPE, text=True,
                                    check=True).stdout)
    if len(sys.argv) == 1:
        print("\n".join(known))
        return
    mode, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    hash, password = known[mode]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{mode}.hash").write_text(hash + "\n")
    (folder / f"{mode}.words").write_text("\n".join([*OTHER_WORDS, password]) + "\n")


if __name__ == "__main__":
    main()
