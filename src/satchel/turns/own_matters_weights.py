"""Weights of `own_matters`, written by `python -m training prompts`."""

BIAS = -1.828
CUES = (-3.110, 1.030, 1.308)
"""Of each cue, beside the vector."""
CUES_ALONE = (-0.312, -3.357, 1.157, 1.795)
"""The bias, and of each cue, without a vector."""
SCALE = 0.030185
WEIGHTS = (
    "1@pV-?eYHz=?6(7?%n736|e~n-TDd;FY);a9L)q6_AfH?3Ih)4_X^?`;R8MC@<QzE_VLAEBL3nA?gJef&fNMSGwuvU5%d}N_Ye`a"
    "2h8vp_74UU8u=o}8Svy9-~d)G*X8ab@Xqrb*)JCx4)7KIG4ApD{{+OR-7XUV>;4?m5)~Wr_y_gd916X<G85MG9{=w3)La)Z7u>@J"
    "`!p5kFV@(^B02U6+|D}xPBR(i%nsV5!qQ5<e*)zW>iH7R03;0X@()Vh@GBm{BMJHgCH)H*?NcgV=oKXZ)C~gEO9$ZsBP|0m;OWs9"
    "=>ziz;~w_v763>^2-gkg-Tx~A5Iw?JOWwHp>jpO6{SNx=A_g84Q0_wLR`&ngFZ(L!B`(p!NYqaj(f#}U3g`hZPR}n082ta=>)Fr%"
    "=nYQ%3HZwf_$mhr1lIcU#Ol_s-1aTI^z-pR*9`FQAjK60<Q^Rb_1W19Fvi)@{@vNj@hTte=o}3Kxxbwh"
)
"""Of each value of the vector: int8, to be multiplied by SCALE, in base 85."""
