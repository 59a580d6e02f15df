"""Addresses of buckets, and what errors of object storage mean. tests/bucket has a real server."""

import pytest

from satchel.adapters.lance.bucket import check_bucket
from satchel.adapters.lance.folder import unusable
from satchel.errors import InvalidRequest
from satchel.ports import INDEX_UNREACHABLE
from tests.tables import each_case


@each_case("address", ["s3://bucket", "s3://my.bucket-1/team/memories", "s3://bucket/a/"])
def test_an_address_names_a_bucket_and_a_folder(address: str) -> None:
    assert check_bucket(address) == address.rstrip("/")


@each_case(
    "address",
    [
        "/folder", "s3://", "s3:/bucket", "gs://bucket", "s3://key:secret@bucket/x", "s3://bucket/../other", "s3://bucket/./x",
        "s3://bucket//x", "s3://Bucket", "s3://bucket/x?endpoint=y", "s3://bucket/\n",
    ],
)  # fmt: skip
def test_other_addresses_are_refused_without_repeating_them(address: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_bucket(address)
    assert "secret" not in f"{refused.value.message} {refused.value.hint}"


@each_case(
    "message, why",
    [
        ("LanceError(IO): Generic S3 error: … <Code>NoSuchBucket</Code>", "there is no such bucket"),
        ("Generic S3 error: … <Code>AccessDenied</Code>", "it refuses these keys"),
        ("Generic S3 error: … status code: 403 Forbidden: ", "it refuses these keys"),
        ("Failed to get AWS credentials: …", "no keys were found"),
        (
            "Generic S3 error: Error performing GET http://10.0.0.1/?secret - error sending request",
            "it does not answer",
        ),
    ],
)
def test_an_error_of_the_bucket_is_told_from_damage(message: str, why: str) -> None:
    error = unusable(ValueError(message))
    assert (error.code, error.message) == (INDEX_UNREACHABLE, f"the bucket of the index cannot be reached: {why}")


def test_other_errors_are_damage() -> None:
    assert unusable(ValueError("LanceError(IO): file is too short")).code == "index_unusable"
