"""The end of a comparison: which required ratios were missed."""


def verdict(missed):
    """Prints them and returns the exit code."""
    for text in missed:
        print(f"MISSED  {text}")
    print("required ratios: " + ("missed" if missed else "all hold"))
    return 1 if missed else 0
