"""Names of languages in English and Chinese, separated by spaces."""

LANGUAGES = (
    "english german french spanish italian dutch portuguese swedish norwegian danish finnish icelandic polish czech slovak "
    "hungarian romanian bulgarian greek turkish ukrainian russian serbian croatian slovenian lithuanian latvian estonian irish "
    "welsh catalan basque arabic hebrew persian farsi hindi urdu bengali tamil telugu thai vietnamese indonesian malay tagalog "
    "chinese mandarin cantonese hokkien japanese korean swahili latin esperanto"
)
LANGUAGES_ZH = (
    "中文 國語 国语 普通話 普通话 台語 台语 閩南語 闽南语 客語 客语 粵語 粤语 英文 英語 英语 日文 日語 日语 韓文 韩文 韓語 韩语 法文 法語 法语 "
    "德文 德語 德语 西班牙文 西班牙語 西班牙语 葡萄牙文 葡萄牙語 葡萄牙语 義大利文 意大利文 義大利語 意大利语 荷蘭文 荷兰文 荷蘭語 荷兰语 "
    "瑞典文 瑞典語 瑞典语 波蘭文 波兰文 波蘭語 波兰语 俄文 俄語 俄语 越南文 越南語 越南语 泰文 泰語 泰语 印尼文 印尼語 印尼语 "
    "阿拉伯文 阿拉伯語 阿拉伯语 拉丁文 拉丁語 拉丁语"
)
LANGUAGE = f"(?:{LANGUAGES.replace(' ', '|')})"
"""A pattern of them in English."""
