"""A picture of low rank from a third of its pixels."""

import matplotlib.pyplot as plt
import numpy as np
import pendec

rng = np.random.default_rng(6)
u, v = np.linspace(0, 3, 80), np.linspace(0, 4, 100)
picture = np.sin(2 * u)[:, None] * np.cos(v) + 0.5 * np.cos(3 * u)[:, None] * np.sin(2 * v) + 0.2 * np.outer(u, v)
seen = np.where(rng.random(picture.shape) < 0.33, picture, np.nan)
r = pendec.complete(seen, 3)
assert r.success
print(f"largest error {np.abs(r.x - picture).max():.1e}")

figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.0))
for ax, image, title in zip(axes, (picture, seen, r.x), ("the picture", "what was seen", "completed, rank 3")):
    ax.imshow(image)
    ax.set_title(title)
    ax.set_axis_off()
figure.savefig("matrix_completion.png", dpi=120, bbox_inches="tight")
