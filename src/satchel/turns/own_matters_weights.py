"""Weights of `own_matters`, written by `python -m training prompts`."""

BIAS = -1.807
CUES = (-3.055, 0.992, 1.195)
"""Of each cue, beside the vector."""
CUES_ALONE = (-0.312, -3.357, 1.157, 1.795)
"""The bias, and of each cue, without a vector."""
SCALE = 0.026838
WEIGHTS = (
    "01ck;=nL-&?DtG9|LP0%M7=o{z6$UGDem$Z66GHl?G`uOAKVuK;S=R3&I@nW%}ogP?gip^7WTRw>i-E3&CvV@Q`ZzjCIlP#1pE|{"
    "@vYnx>FEv$72hz+81K+N(dt-1_xJ)5_SyF(&><8U>Jm})P~;E?`54g6<V6tx-z5g^FEStU@caDoBM;v3P#o&RED!Ae?@}2I4CLGn"
    "BStX!B+$RbF+<-4^3^Z~VI&Oj%N^LIxW!V9f9nGv^aB#F^!^d<;uKuv?I9n)CI#CY58~Y?y;%Eq)g~4I>iQb4Wen^ND>n`%!Q#Oc"
    "=;s3#*dO@n9r<D~4(BG`-6JRo4>QMXSn1LT)eIxm1pMCr84?dPKJGI0Ro(r&MByd!7BIugPt`j!x%vba*ysoyTDL|D7wQq+*1OUG"
    ";RZ|N9}3GI-boe<=HKM(*8<hM@bxOU_ap2=)*TbyFX03CuO|sJ@ww>cDAU2e3F)Be^)Cta_VyF=i?pyB"
)
"""Of each value of the vector: int8, to be multiplied by SCALE, in base 85."""
