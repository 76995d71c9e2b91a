"""The controller of a UR robot over its own protocol (RTDE).

This code was never run on a robot. It was tested against the virtual controller of this package only.
"""
