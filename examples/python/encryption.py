"""Engraph's payload encryption for an agent in Python. pip install temporalio cryptography"""

import base64
import os
from collections.abc import Sequence
from dataclasses import replace

import temporalio.converter
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.converter import DataConverter, DefaultFailureConverterWithEncodedAttributes, PayloadCodec


class EncryptingCodec(PayloadCodec):
    """Encrypts by the first key and decrypts by each; `keys` is what ENGRAPH_PAYLOAD_KEYS holds."""

    def __init__(self, keys: str) -> None:
        pairs = [pair.strip().split(":", 1) for pair in keys.split(",")]
        self.newest = pairs[0][0]
        self.ciphers = {key_id: AESGCM(base64.b64decode(key, validate=True)) for key_id, key in pairs}

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._seal(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._open(payload) for payload in payloads]

    def _seal(self, payload: Payload) -> Payload:
        nonce = os.urandom(12)
        sealed = nonce + self.ciphers[self.newest].encrypt(nonce, payload.SerializeToString(), None)
        metadata = {"encoding": b"binary/encrypted", "encryption-key-id": self.newest.encode()}
        return Payload(metadata=metadata, data=sealed)

    def _open(self, payload: Payload) -> Payload:
        if payload.metadata.get("encoding") != b"binary/encrypted":
            return payload
        cipher = self.ciphers[payload.metadata["encryption-key-id"].decode()]
        return Payload.FromString(cipher.decrypt(payload.data[:12], payload.data[12:], None))


def encrypted() -> DataConverter:
    """For `Client.connect(..., data_converter=encrypted())`."""
    return replace(
        temporalio.converter.default(),
        payload_codec=EncryptingCodec(os.environ["ENGRAPH_PAYLOAD_KEYS"]),
        failure_converter_class=DefaultFailureConverterWithEncodedAttributes,
    )
