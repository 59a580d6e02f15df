"""Weights of `own_matters`, written by `python -m training prompts`."""

BIAS = -1.936
CUES = (-3.124, 1.122, 0.396)
"""Of each cue, beside the vector."""
CUES_ALONE = (-0.328, -3.335, 1.189, 0.626)
"""The bias, and of each cue, without a vector."""
SCALE = 0.031624
WEIGHTS = (
    "|M$V>_V587-Umq@_1xtIA-Dh$)Z_vgChg}27uOIL2r(b(76=^Q0UPc8-Uc+~_dV<M-|fg_9{$}K^$8si#_jVfAoU4E0{<4=-3I`_"
    "|Ih0S1|0wcB>XAE5bW_B>IGgf+TZ3P@Wl2Hz$g_M5#<yKD*e&?_5jqm)kGKo?d>o99Tpkm{`T_a7zwt*HV?|`5c>1&;b0Xh3)|QI"
    "_(25TBhJ;vEH(iN*xM!wML81g*Awue%GFQBe*xzf@(Tvv|0NOZ_7O|X`z00GFAw+|EbH$H?_Vlh{u3Jj&-M1lLI~j#8!G`T;ON*E"
    "=?U%x>^S=43H>=p3CsY{^ZX?J3qY(@R_4X!;RQeF4-EYT7z-W(Htas>P6GYeCioZvB`46zPta5b)%*DJ{_p=VV&W+Z9`6n2+vLpv"
    "=n6vd8TPvS{4fCg``GyN$k^$&+4?im>gw}7<O%QOA<GdD*&7@S_|fJSGPCB+^y1aV|0y{B<P-)A#@DPA"
)
"""Of each value of the vector: int8, to be multiplied by SCALE, in base 85."""
