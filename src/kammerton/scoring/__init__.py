# SPDX-License-Identifier: MIT
"""What happens: files are read and paired, kernels run, shards are merged."""
