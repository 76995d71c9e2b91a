"""The published recordings of Anomaly-Gym: its folders of Minari files, as splits of episodes with labels.

The authors publish one folder per policy and environment, with a Minari 0.5 file per split:
``<policy>-<tag>-onset_<mode>-seed_<seed>/<environment>/<split>/data/main_data.hdf5``. `open_anomaly_gym` reads such a
folder, `import_anomaly_gym` converts it into a dataset of this package::

    from offnominal.datasets.anomaly_gym import import_anomaly_gym, open_anomaly_gym

    recordings = open_anomaly_gym("AGYMv1/TQC-final-onset_random-seed_42", "Sape-Goal0")
    recordings["observation/noise@tiny"]  # their split obs_noise_tiny: a sequence of episodes
    recordings.problems  # splits that could not be read, and why
    recordings.defects("dynamics/force@strong")  # what is known to be wrong in the published data

    data = import_anomaly_gym(recordings, "sape-goal0")  # a Dataset, with the SHA-256 of every file that was read

Both are data for `evaluate` and `compare`.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "defects": ("Defect", "known_defects"),
        "published_names": ("ENVIRONMENTS",),
        "recorded_split": ("RecordedSplit",),
        "recordings": ("AnomalyGymRecordings", "import_anomaly_gym", "open_anomaly_gym"),
    },
)
