"""Transfer studies: detectors that are trained in one world and tested in another one."""
