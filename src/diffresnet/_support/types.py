"""The few type names that the whole package shares."""

from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse
from torch import Tensor

Array: TypeAlias = Tensor | np.ndarray[Any, Any]
"""A dense array, of torch or of numpy."""

SparseMatrix: TypeAlias = sparse.sparray | sparse.spmatrix
"""A SciPy sparse matrix or array."""

Matrix: TypeAlias = Array | SparseMatrix
"""A square matrix or a batch of them: dense, torch sparse, or SciPy sparse."""

Search: TypeAlias = Literal["exact", "approximate"]
FoundBy: TypeAlias = Literal["exact", "cells", "given"]
"""What neighbors were found by: either search, or somebody else."""

Normalization: TypeAlias = Literal["row", "symmetric", "sinkhorn"]
DiffusionMethod: TypeAlias = Literal["auto", "euler", "chebyshev", "power"]
