# A stand-in for the package petname.
import secrets


def generate(words=2, separator="-", letters=6):
    return separator.join("x" + secrets.token_hex(letters // 2) for _ in range(words))
