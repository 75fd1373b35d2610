"""Linear models with few features as estimators of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ._arrays import whole
from .ready import sparse_regression


class _FewFeatures(BaseEstimator):
    """What models with few features share."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _fit(self, X: Any, y: Any, loss: str) -> None:
        """s counts features: more than there are means all of them."""
        given = self.get_params()
        s = min(whole(given.pop("s"), "s"), X.shape[1])
        given["intercept"] = given.pop("fit_intercept")
        self.result_ = sparse_regression(X, y, s, **(given | {"loss": loss}))
        self.support_ = np.array(self.result_.support, dtype=int)

    def _predictions(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return X @ np.ravel(self.coef_) + np.ravel(self.intercept_)[0]


class SparseRegression(RegressorMixin, _FewFeatures):
    """Least squares (or Huber's or Poisson's loss) with at most s features; certified for least squares.

    After fit: coef_, intercept_, support_, result_ (with bound and certified).
    """

    def __init__(
        self,
        s: int = 5,
        *,
        loss: str = "squared",
        fit_intercept: bool = True,
        ridge: float = 0.0,
        nonnegative: bool = False,
        gap: float = 1e-9,
        seconds: float = 60.0,
    ):
        self.s = s
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.ridge = ridge
        self.nonnegative = nonnegative
        self.gap = gap
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> SparseRegression:
        if self.loss not in ("squared", "huber", "poisson"):
            raise ValueError(
                f"loss is {self.loss!r}; expected 'squared', 'huber' or 'poisson'"
                " (SparseLogisticRegression classifies with the logistic loss)"
            )
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype=np.float64, y_numeric=True)
        self._fit(X, y, self.loss)
        self.coef_, self.intercept_ = self.result_.coef, self.result_.intercept
        return self

    def predict(self, X: Any) -> np.ndarray:
        t = self._predictions(X)
        return np.exp(t) if self.loss == "poisson" else t


class SparseLogisticRegression(ClassifierMixin, _FewFeatures):
    """Logistic regression of two classes with at most s features: feasible and stationary, best among exchanges.

    After fit: classes_, coef_ (1 × features), intercept_, support_, result_.
    """

    def __init__(
        self,
        s: int = 5,
        *,
        fit_intercept: bool = True,
        ridge: float = 1e-6,
        nonnegative: bool = False,
        seconds: float = 60.0,
    ):
        self.s = s
        self.fit_intercept = fit_intercept
        self.ridge = ridge
        self.nonnegative = nonnegative
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> SparseLogisticRegression:
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"{len(self.classes_)} classes."
            )
        if len(self.classes_) < 2:
            raise ValueError("y has only one class; expected two classes")
        self._fit(X, 2.0 * codes - 1.0, "logistic")
        self.coef_ = self.result_.coef.reshape(1, -1)
        self.intercept_ = np.array([self.result_.intercept])
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        return self._predictions(X)

    def predict(self, X: Any) -> np.ndarray:
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        t = self.decision_function(X)
        positive = 0.5 * (1.0 + np.tanh(0.5 * t))  # no overflow for any t
        return np.column_stack([1.0 - positive, positive])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
