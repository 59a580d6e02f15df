def tokens(text: str) -> int:
    return len(text) // 3 + 1
