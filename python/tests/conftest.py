"""Problems that several tests share."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def quadratic(rng):
    """A positive definite Q and c, n = 20."""
    B = rng.normal(size=(20, 20))
    return B @ B.T / 20 + 0.1 * np.eye(20), rng.normal(size=20)
