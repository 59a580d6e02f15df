"""A secret for tests that must not find it again."""

# Put together here, so that no scanner takes this file for a leak.
TOKEN = "gh" + "p_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z7AbC"
MASKED = "[redacted:github-token]"
