"""Encryption with a passphrase in the age format, which other programs can decrypt too: `age -d FILE`."""

from satchel.errors import InvalidRequest

MAGIC = b"age-encryption.org/"
MIN_PASSPHRASE_CHARS = 8
MAX_BYTES = 2 << 30
"""The whole file is encrypted in memory."""


def encrypt(data: bytes, passphrase: str) -> bytes:
    """Return data as an age file. Takes about three times its size in memory."""
    import pyrage  # an optional package

    if len(passphrase) < MIN_PASSPHRASE_CHARS:
        raise InvalidRequest(
            f"the passphrase has fewer than {MIN_PASSPHRASE_CHARS} characters", code="weak_passphrase", hint="use words"
        )
    if len(data) > MAX_BYTES:
        raise InvalidRequest(
            f"the backup has {len(data):,} bytes, {MAX_BYTES:,} can be encrypted",
            code="too_large",
            hint="make it without a passphrase, and encrypt the file with age",
        )
    return bytes(pyrage.passphrase.encrypt(data, passphrase))


def decrypt(data: bytes, passphrase: str) -> bytes:
    """Return what an age file contains, or raise."""
    import pyrage  # an optional package

    try:
        return bytes(pyrage.passphrase.decrypt(data, passphrase))
    except pyrage.DecryptError as error:
        raise InvalidRequest(
            "the passphrase is wrong, or the file is damaged", code="cannot_decrypt", hint="check the passphrase"
        ) from error
