import numpy as np
import pytest

from sayso.retrieval.products import AT_ONCE, product


@pytest.mark.parametrize("n", [0, 1, AT_ONCE // 4 - 1, AT_ONCE // 4, AT_ONCE // 4 + 3, AT_ONCE])
def test_a_product_in_blocks_is_the_product(n):
    rows = np.arange(4 * n, dtype=np.float64).reshape(n, 4) % 7

    made = product(rows, np.asarray([1.0, -2.0, 0.5, 3.0]))

    assert made.tolist() == (rows[:, 0] - 2 * rows[:, 1] + rows[:, 2] / 2 + 3 * rows[:, 3]).tolist()


def test_columns_may_lie_one_behind_the_other():
    rows = np.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=np.float32).T

    assert product(rows, np.asarray([1.0, 10.0], dtype=np.float32)).tolist() == [41.0, 52.0, 63.0]


@pytest.mark.parametrize("n", [1, 7, 8, 50])
def test_a_matrix_is_taken_as_well(n):
    rows = np.arange(384 * n, dtype=np.float64).reshape(n, 384) % 5
    by = np.arange(384 * 96, dtype=np.float64).reshape(384, 96) % 3

    assert product(rows, by).tolist() == np.einsum("nd,dk->nk", rows, by).tolist()


@pytest.mark.parametrize("columns", [1, 96])
def test_no_block_is_large_enough_to_wake_another_thread(monkeypatch, columns):
    sizes, matmul = [], np.matmul

    def counted(a, b, out):
        sizes.append(a.size * (b.size // len(b)))
        return matmul(a, b, out=out)

    monkeypatch.setattr("sayso.retrieval.products.np.matmul", counted)
    product(np.ones((3000, 384)), np.ones((384, columns)) if columns > 1 else np.ones(384))

    assert sum(sizes) == 3000 * 384 * columns
    assert max(sizes) <= AT_ONCE
