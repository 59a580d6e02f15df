"""Weights of `own_matters`, written by `python -m training prompts`."""

BIAS = -1.546
CUES = (-3.342, 0.884, 0.198)
"""Of each cue, beside the vector."""
CUES_ALONE = (-0.205, -3.339, 0.949, 0.478)
"""The bias, and of each cue, without a vector."""
SCALE = 0.027225
WEIGHTS = (
    "=I7ny0_XKL)d*85^5^Lb8oBfxz~S=_AL{f95#B2T|1~1(E$$Nh7#`#e;sQwa1Vi-n%k#)>B>dYT02LDr#Nq2DC-VJ5^bHW=$N&Pa"
    "1=HyQ8Y}hvF6%$f72)zQ>;+;q(Z<$1-oNt;p(YtKA>kSk4g}i$@$1sU<4zs``RgtO^erCU2=ed<7b3;ZCJFE53El$a^JW_?2;bTG"
    "?o#yi7{bK7KS1dG&g47<I7TSu#TDeB$HG~_f7<vV03Zd%^cWiM2?SQS{XZDh5BmTjC)eK;+HW;o@*xWV$msObJObJmAvXOh`tRBe"
    "?-BS5^-BHW74t+$4#Wb;<K-F%0!gJ(W8$gQ*a=483m*&>5G5cA9?Lb~P6rO(H2ntzCNajzQ{z_Y();xI2iyNLboCw;Blj2X*6!W_"
    "?Ey*W8rrlB3qJz;3ElJl;oIGz-vBVw@9qCI=I{XD71s_M)EodC^uOW|GOp&s_|w+8`XE6E`4AHQ%H^aG"
)
"""Of each value of the vector: int8, to be multiplied by SCALE, in base 85."""
