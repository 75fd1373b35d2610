"""What several tests share: problems, and a cluster."""

import os

# One thread here and in the programs that tests start: then sums are the same to the last bit. NumPy reads it once.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

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


@pytest.fixture(scope="session")
def dask_cluster(tmp_path_factory):
    """A scheduler and two worker processes on loopback."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    import dask

    with (
        dask.config.set(
            {"distributed.nanny.pre-spawn-environ": {}}
        ),  # it would stay in the environment of this process
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            local_directory=str(tmp_path_factory.mktemp("dask")),
        ) as cluster,
    ):
        yield cluster
