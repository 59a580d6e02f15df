"""The words for a password in the languages that people write in.

A stem is found in a word of any form, with a letter before or after it. A blank in one also stands for a hyphen, an
underscore or nothing, as in a name: mot_de_passe.
"""

PASSWORD_STEMS: tuple[str, ...] = (
    # English, also as an abbreviation and misspelt.
    "passw", "assword", "pasw", "psswd", "passphrase", "passcode", "pwd", "code word", "pass phrase", "master phrase", "shared key", "shared secret", "secret word", "magic word", "safe word", "geheimwort", "palabra secreta",
    # Of a wireless network.
    "wifi code", "wi-fi code", "wlan code", "code wifi", "code wi-fi", "code du wifi", "wifi key", "wi-fi key", "clé wifi", "network key", "clave wifi", "clave del wifi",
    # Germanic.
    "kennwort", "losung", "codewort", "wachtwoord", "lösenord", "losenord", "adgangskode", "kodeord", "passord",
    "lykilorð", "wagwoord", "pasfrase",
    # Romance.
    "contraseñ", "contrasen", "contrasinal", "senha", "palavra passe", "mot de passe", "code secret",
    "phrase secrète", "parola d'ordine", "frase segreta", "parolă",
    # Slavic and Baltic.
    "hasło", "hasła", "haslo", "hasla", "heslo", "hesla", "lozink", "парол", "лозинк", "slaptažod", "slaptazod",
    # Others of Europe.
    "salasana", "salasõna", "parool", "jelszó", "jelszo", "jelszav", "şifre", "sifre", "κωδικό", "κωδικού", "συνθηματικ", "pasahitz",
    "fjalëkalim", "fjalekalim",
    # Asia and Africa.
    "密码", "密碼", "口令", "通行碼", "通行码", "パスワード", "パスフレーズ", "パスコード", "暗証", "合言葉", "비밀번호", "비번", "암호", "패스워드",
    "mật khẩu", "mat khau", "kata sandi", "kata laluan", "รหัสผ่าน", "पासवर्ड", "कूटशब्द", "পাসওয়ার্ড", "கடவுச்சொல்", "סיסמ", "كلمة المرور",
    "كلمة السر", "كلمة مرور", "كلمة سر", "الرقم السري", "كلمه المرور", "رمز عبور", "گذرواژه", "nenosiri",
)  # fmt: skip
