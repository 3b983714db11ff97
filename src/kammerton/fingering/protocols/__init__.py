# SPDX-License-Identifier: MIT
"""The rules of each protocol, one file per protocol."""

from kammerton.fingering.protocols import nakamura2020, pianovam, playability, strike

__all__ = ["PROTOCOLS"]

PROTOCOLS = (nakamura2020.PROTOCOL, strike.PROTOCOL, pianovam.PROTOCOL, playability.PROTOCOL)
"""In the order in which they are shown."""
