"""Episodes pinned byte by byte: no change of code, compiler or machine may alter them unnoticed.

The particle worlds, the cart and its pole, the faults and the policies use nothing but IEEE arithmetic in a fixed
order, so their pins hold on every CPU. MuJoCo calls the C library's sine and cosine, so its pins hold for one kind of
machine and one version.

A change that is meant to alter episodes replaces the pins: each failing test prints the new one.
"""

import hashlib
import json
import platform

import mujoco
import numpy as np
import pytest

from offnominal.agents import NetworkPolicy, RandomPolicy
from offnominal.anomalies import Fault, Schedule
from offnominal.rollouts import collect
from offnominal.worlds.catalogue import make_world

PLACE = f"{platform.machine()} with MuJoCo {mujoco.__version__}"
COMMON = {
    "nominal": None,
    "observation noise": Fault("observation/noise", 0.1, (2, 12)),
    "observation temporal noise": Fault("observation/temporal_noise", 0.2, Schedule(onset=3, ramp=3)),
    "observation quantisation": Fault("observation/quantisation", 0.3, 2, channels=[0, 1]),
    "action delay and offset": (Fault("action/delay", 2, 3), Fault("action/offset", 0.3, 5)),
    "action noise that wanders": Fault("action/noise", 0.5, Schedule(onset=(1, 6), walk=0.2)),
    "mass": Fault("dynamics/mass", "strong", 2),
    "force that comes and goes": Fault("dynamics/force", 2.0, Schedule(onset=1, period=4)),
}
PARTICLE_FAULTS = {**COMMON, "moving objects": Fault("dynamics/moving_objects", 20.0)}
ROBOT_FAULTS = {**COMMON, "friction": Fault("dynamics/friction", "strong", 3)}
FAULTS = {
    "SAP-Goal0-v0": PARTICLE_FAULTS,
    "SAP-Goal1-v0": PARTICLE_FAULTS,
    "SAP-Goal2-v0": PARTICLE_FAULTS,
    "MJC-CartpoleSwingup-v0": ROBOT_FAULTS,
    "MJC-HalfCheetah-v0": ROBOT_FAULTS,
    "MJC-Reacher3D-v0": ROBOT_FAULTS,
}

EVERYWHERE = {
    "SAP-Goal0-v0 random": {
        "nominal": "8350e8dea1570ea8e5243377ca9663850e13b07c42d608369b79f30550048247",
        "observation noise": "e5b33e32b82e1da1e0ef93ccdd8f4b5882a9ca61ef2d5c52a8681e424eba812f",
        "observation temporal noise": "3a818f36feafc2c3c89a9a35113e8d750d129cd30ba3b6f1d598058d0fb21b28",
        "observation quantisation": "a96f44bfd9994b250363c04a36b0da2499a49aeaa76983c05ff897985f26e264",
        "action delay and offset": "18d920bba09e97113b61074067585df7255f0b241e81fce1a192fbc12db232ed",
        "action noise that wanders": "556668fb96422efe8a2fe39cd7523908a78ee9b6f8dc332641da0427f91da391",
        "mass": "bad804c3a6cc537c26fb20ee4b016b5c2560cba1f4acaabdcebd1650bd8d7fcf",
        "force that comes and goes": "6770a6c49186d12f62da4dbc115b89262450c0dc139ad90471bca8a64129b206",
        "moving objects": "2fe15bdacd9da34b6fbdae64ffc680d7f22bdae3db2f4d6020e37fd1f52d9522",
    },
    "SAP-Goal0-v0 network": {
        "nominal": "cbc71d131c73bb51ea1522cd486a819ddb3e00dc58d7aff04549ae38fcc03966",
        "observation noise": "06fda9a26d5e4542f61c18dda0fab6490bc6ae8085573497bd166a41819b2f21",
        "observation temporal noise": "c18cca5cc3d1565e6fb57c9525805b63c3a7d8dcc45dec0eed567f3c5944aa46",
        "observation quantisation": "e1511fd2761c4c11ba2524b503c72e194201e39b756dd7bdc7c62cf006d25659",
        "action delay and offset": "5d88d4ab725da361c1bd6cc66e4af26ae09f3456e360ddc14af5d3254784cee5",
        "action noise that wanders": "cb205c2c91cb15ca4522b49a059eb7c42e2ea94d37e5cee947f9f0e5b3ea642e",
        "mass": "54860bf1d453c47fd76233eefe42a8d7a8563fdd6b703fd3f61cbfc5156b3e7e",
        "force that comes and goes": "66bfdf4a0622cafe2a8f39cb31988bc710279b22e90301ab477f9e1140d35dea",
        "moving objects": "bd3a3b402942eb0d4e8fb48972e025c4a741e440f9ef4a541a3d18aaa38ad73b",
    },
    "SAP-Goal1-v0 random": {
        "nominal": "eb8ae0d114dd9c16e8bf2288be1a4901e1c170d14e6307a65742a523b06c97c8",
        "observation noise": "abd48c8b2ba59a5d08a532230bf044b84d7cde5091248b19cb6845a1fdca8fd5",
        "observation temporal noise": "d6153ab16dd24705bb07947d6ca15a2280977294751b33d8c38a728aefba16e2",
        "observation quantisation": "30884e251b3e5690521b8c8366803d2af2218838b4cdb72b55a081b728bba98f",
        "action delay and offset": "f8ebdad6dd527a06371a5ea64cb5efdb13c1355a17e5746d227a75e241dc7b06",
        "action noise that wanders": "4ac284fefb19b27a80e88ca24479560b1ba0a24115c078b0bf8f6f17a7ed0821",
        "mass": "48183fc05d53d48ecf3726724eb709918899e7a40a39830725d8004507bb674d",
        "force that comes and goes": "be1a215661fe667e1662343ed843bfd8e9583b3ac7dc4b7c4c9a565bac21b351",
        "moving objects": "5b3ed9f3956999ff8334da94219c59db22fb9edb1515d9693c0b4d1868f999dd",
    },
    "SAP-Goal1-v0 network": {
        "nominal": "23b7c7f16d650fb18b6865f6a4308804886287602fd87ab887f1248e9e830d16",
        "observation noise": "f3161e18cae016cf243effece43030d494441d880634a2b1d897e3eaf2b2fc45",
        "observation temporal noise": "8b11982f621da6277f91cbabc9dfa9814175eaffa501930051bea1ebfee86054",
        "observation quantisation": "79fa9926a50094436ef99496f8992d8c0a2479a565342b6cd463a1defbc3fde3",
        "action delay and offset": "7801ca25b0a4773da68b68665d0824c91be9fa8186aaac353bfe36435afc1bf3",
        "action noise that wanders": "03c7bdcd50818718e4e597197bc826070efb6c039aa2b9bc2131d2fd07fb8e3f",
        "mass": "532b038491de194fe84e618ee5eed97963924055c13aa3eb23cb72aec366f140",
        "force that comes and goes": "0691b2e13a29ea5c2468537f6f6dc6c251e9a842991b899568dfcfcdd14e8bd2",
        "moving objects": "220a99181276c381f3be1937c806ebde609184fcf8d95ba035130423a675effe",
    },
    "SAP-Goal2-v0 random": {
        "nominal": "fd9b0dfdcf0f41caa71785f3b0102cabef3d06cf06a5b7271b69af2d2bf0009e",
        "observation noise": "d4ba2ceabb8bb273129b4d31a758f79446fe125ff004ea9cb73b6de8035d3bb9",
        "observation temporal noise": "b112afdb1915b9fb3f875a5e6dcdbdf7e876c6a53b6110fbe2cce01994b69710",
        "observation quantisation": "ec02fd941d2479ccb033bb97b1b00d7fe3ed24aa688b003d2621ccb84abda347",
        "action delay and offset": "2d6d6227866fc35adafac2cbd43b088d0b19031fd890e48e0b0088028ebfe6c7",
        "action noise that wanders": "f64b212db2ff68b0cd04b5aa2d463c8488cd2095583b4d9126f39814f3092310",
        "mass": "20a74c3df0e9fb807d35df56ef0bdee84304b8c344e97432ad167fefe9d9ddd5",
        "force that comes and goes": "22a0ae649bb404e0e47bd3e06ad5f9388012e7cd1c4ad0c8084a8861aae13838",
        "moving objects": "538459875d68e69beedbf0605c66f1c8b765a573b75c281d3800b8ea9cd866a1",
    },
    "SAP-Goal2-v0 network": {
        "nominal": "82f373dfa73ee30721729aeb80ce60ddadf5888322819529662123a10e3723c6",
        "observation noise": "cb73f16eb561f52c591d0ee99f26ec580de78bcfca52b6dfdd0571a96309c6d5",
        "observation temporal noise": "3bf1fb7129395933ca4e6c13e8cba8dbfe07cd7c7bd030608a0b25656d106842",
        "observation quantisation": "83972d2f56c33092ae390d003a8a7e358db7f582c082fb470e2b0c9c654f56f0",
        "action delay and offset": "151233982296f0086a1111aa8567008c57ee72d6e3dc5b7d4deba71808b4eeee",
        "action noise that wanders": "677a78fad5585acc9c1f578deb83e093c879f6e851ca950b7ede3e521a65586b",
        "mass": "aff66b73af2646b806ca1a547083daad6a9ee0582b40acf32e53838a89ef488d",
        "force that comes and goes": "afe4da588c63f8bc88f6c6a986647d964c6add57472c210a9830f3b9162b8846",
        "moving objects": "a649acf2d834488618cc6596013ea36168d65e2ed96ed8779116131d25d4bd42",
    },
    "MJC-CartpoleSwingup-v0 random": {
        "nominal": "412ecc99f39070b80c76c98afdff7fb3da74c69f4ab47b55040541d61bae5950",
        "observation noise": "28af27d50d9a0b4cd1a09283a00285692d518147e361e37060c22a90cf340f38",
        "observation temporal noise": "3cbe8ce1aabfe1d0a77c307ed560fecc1203bd4aedac01675a0680de2e156bc4",
        "observation quantisation": "916770f5cd1f419c67c3558c43fb3e66763b873843a94556f2c4be72be95c2a5",
        "action delay and offset": "e6c1e2179cd83966b0d1419fb748350984c6fbe296542700041fea96e1111239",
        "action noise that wanders": "bcdb877e32baf403e028a4509966515d2a9d2132dd5b367f8c2b0196feff9b75",
        "mass": "b482ca7ee7f04c1ae80296ffb6e01c4efececf79428d9a942f6dd98f3a63ca07",
        "force that comes and goes": "76e505ddf7b39b6df1f630080c3401bccb26cc8f8449697d2c0c86e243398005",
        "friction": "be7a9478173066be50b2a45a60b2f340082373971c51b99343049ec20dfef475",
    },
    "MJC-CartpoleSwingup-v0 network": {
        "nominal": "6c99915e5ff8e2a74775d4872169ae3b9299e34e0a3678904ff7017f540cabec",
        "observation noise": "dfd8f9b8211f5efaf8aba17f6a5a4578a31fbc715911c71921686ac553e95935",
        "observation temporal noise": "e2d884d377ce0867141780e72ca219ac2f4f72cfc985a6987fb7cc9364600f6c",
        "observation quantisation": "01113afc3e8f04766f6984105db525ea68e1f7db42577fb037f8fb0ffa7cf18a",
        "action delay and offset": "06f337118fefb91fddbc0c508ca6e9de998a707906f6e2414991dde5f7f77905",
        "action noise that wanders": "4871af843a06836e4e2e56ceeb0b2b27000729194f9ca3a0caf19739982f6687",
        "mass": "16263f80005ecef44469a30fb53ea1f0bf51524d2cff00662519c3f9eb52dde3",
        "force that comes and goes": "1cfc4e43dad5476d289e3e4d9e6e4e0a5e8eaf280cb88e8c575ce453fd3a0241",
        "friction": "24463f77c2287e354e3075b62bafba11636447d059b5857bf7241798b708476e",
    },
}

MUJOCO = {
    "aarch64 with MuJoCo 4.0.0": {
        "MJC-HalfCheetah-v0 random": {
            "nominal": "c658867fc589819be49fc2f627b94c0c08e4bb96701418c5d5be64634b4e9d65",
            "observation noise": "0f0ee45cec1ed024e1f028f579f56dacb9504d68c08bb35258ab45a7154e296a",
            "observation temporal noise": "c2827088ffc2c975da81b5f7542ce918f14496da927d32f88f8f92000c18059a",
            "observation quantisation": "24a8bbd044fe4204eafd5cf956471a2bf4538c34aaba4d1cface7d3ad1929412",
            "action delay and offset": "3d2ce620635ef6e9b7a086ea077f4fb458627f176e5a795de76e489c2af42861",
            "action noise that wanders": "3c47add6028b6ace8a019405032613cbc2a54f82f5d2869d5103ea762a2c6b44",
            "mass": "ea9cbf446c2739c0c754a47d2f544cb9e629b518b30cd53b483f9e7cfe3f4379",
            "force that comes and goes": "a13a6d4d95b05b349ddd9f5d17bfa947b647c2c34201191ed30cf1e1889ae926",
            "friction": "53387251db50ce82b5f1403ef83e03913b014cae0b0f67c397a689b458ed346e",
        },
        "MJC-HalfCheetah-v0 network": {
            "nominal": "cd54eeaee45b08f123c4fdeb5e1eaab3ff3f691d17f6812e941da3005f433e28",
            "observation noise": "cb80e74928cf646e5bdaa1a632d13e4cd2917efa021fda58ed361efc1b6777e7",
            "observation temporal noise": "6179e59e9103244a38464f4d2a422c16c803e9d0cbadf5abba9a8868b4add14a",
            "observation quantisation": "63745de320ff48905e28f9f3a6bc4c510cb382db3c1d865348e1e59f050a2cc2",
            "action delay and offset": "ee50e85e26de6172f12baeac031033ff91c1181a87675e0e3fc5ed198a7194d2",
            "action noise that wanders": "9322bf5fe9a5e562eaef41d578bca13bcad0902636e95d1ed5ca4ddddc547df4",
            "mass": "c4cdd42dfaaa8182af33bb3fe940ebc44367458308f6176dd23e72b72474ecea",
            "force that comes and goes": "6f3e1abc550e4010bf1c20d7654ec7598b6cbc706ecba98a6327cf73af904217",
            "friction": "16e171aa3c1badc49419cf14d0781328a82293b5725459cf1d5a16db9b01ddde",
        },
        "MJC-Reacher3D-v0 random": {
            "nominal": "74bcdeb6a031f7df09be10de27edfbd74b2c033e435540db40a56cb1def9a883",
            "observation noise": "56a26287db0bc31ace54b3507b8ac6eb3c3f93771e4459a0388e7f86485d1ed8",
            "observation temporal noise": "e88afd991123726a7a8e519ea0deff14295f1db887f59672d0a07d3e1fa157e8",
            "observation quantisation": "ab90654a0d936a99085b82029df00ca6c0cab32757444eb1665ad9aeac1ceeaa",
            "action delay and offset": "535f28bc7ca25826651415bdf11c4ba5412a2f090b084e8128ab550df3850d7e",
            "action noise that wanders": "04682610fd6e47f95d6434d38fdfc5e49a270c3eae7d431e32915cfe17a19b18",
            "mass": "2331813ebcd7f88acb340a8a3c7f47d88e36b21c559607bcf7b64a1c69cc39f5",
            "force that comes and goes": "1cd1596c7fac1fffdbbc388498b75e779ab2ba85e93923a378410fcf5b67391d",
            "friction": "670b03eff22ca41687c70f2d9e2857058606643054aa4b83f45c46e514871429",
        },
        "MJC-Reacher3D-v0 network": {
            "nominal": "57448501648d7da9155f961eb41538c19fff69988e12da2aa37678383a0d6013",
            "observation noise": "0988fa6637f80c95ae3792c767579a472ff3366be373c95c3d450ac7caba3cb9",
            "observation temporal noise": "5541506f66d40b72ea0b5bb4d1b7fdb9eb6a5dba2f5e5575d71cb3bfcbf95ed3",
            "observation quantisation": "c70ae6ad71767e3530b8152216757f4099ae9323ce2ba31c1fbd7d409b5f3588",
            "action delay and offset": "b4e917a26c2a1244917faf9870a618660017dcad895a6ec783b7991f6f8ca5eb",
            "action noise that wanders": "01b6a200300ed0a433c5d9778104a46a843d71a7c212e835ac2699f4fa5026dd",
            "mass": "1e413c048968aea415aba3df977e0fa555e8f1583a320001c00bc5e983f62f05",
            "force that comes and goes": "33b6190f56add1ad501e4d3c88eeeeb16c0aa1d93d4889828d7f9ed8ba614b9c",
            "friction": "b8579f15abf38d1669f13b849a5164ec0ba8f84017c1911a4ad9f147fb47321e",
        },
    }
}


def policy_for(world, name):
    sample = make_world(world, 1)
    if name == "random":
        return RandomPolicy(sample.action_space)
    return NetworkPolicy.random(sample.observation_space.shape[0], sample.action_space, hidden=(16, 16), seed=1)


def digest(episodes):
    """Return the SHA-256 of everything recorded in some episodes."""
    total = hashlib.sha256()
    for episode in episodes:
        total.update(json.dumps([episode.seed, *(event.to_dict() for event in episode.events)]).encode())
        for name, values in sorted(episode.arrays().items()):
            total.update(f"{name} {np.asarray(values).dtype.str} {values.shape}".encode())
            total.update(values.tobytes())
    return total.hexdigest()


def found(name, fault):
    """Return the digest of a few episodes; the name says the world and the policy."""
    world, policy = name.split()
    return digest(collect(world, policy_for(world, policy), 3, anomalies=FAULTS[world][fault], seed=1000, max_steps=20))


@pytest.mark.parametrize(("name", "fault"), [(name, fault) for name, pins in EVERYWHERE.items() for fault in pins])
def test_episodes_are_the_same_on_every_cpu(name, fault):
    assert found(name, fault) == EVERYWHERE[name][fault], found(name, fault)


@pytest.mark.skipif(PLACE not in MUJOCO, reason=f"no MuJoCo episodes are pinned for {PLACE}")
@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name, pins in MUJOCO.get(PLACE, {}).items() for fault in pins]
)
def test_mujoco_episodes_are_the_same_on_this_kind_of_machine(name, fault):
    assert found(name, fault) == MUJOCO[PLACE][name][fault], found(name, fault)
