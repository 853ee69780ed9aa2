"""Old encodings: what was written, or unreadable; never text that nobody wrote."""

from contextlib import suppress

import pytest

from weiwo.tools.corpus.formats.encodings import UnreadableError, decode

LONG = {
    "ja": "売上高は前年比12%増の3,400万円となりました。名前はまだ無い。",
    "ko": "회사의 매출은 작년보다 12% 증가했다. 대한민국의 수도는 서울이다.",
    "zh": "公司去年的营业收入为三千四百万元，同比增长百分之十二。",
    "zht": "公司去年的營業收入為三千四百萬元，同比增長百分之十二。",
    "de": "Die Straße ist gesperrt – bitte über Köln fahren. Preis: 20 €",
    "fr": "L’été dernier, nous avons mangé des crêpes à Nîmes pour 12 €.",
    "pl": "Zażółć gęślą jaźń. Łódź to miasto, cena wynosi 100 złotych.",
    "cs": "Příliš žluťoučký kůň úpěl ďábelské ódy za rok 2020.",
    "hu": "A szerződés összege ötmillió forint, árvíztűrő tükörfúrógép.",
    "ru": "Москва — столица России. Выручка компании выросла на 12 процентов.",
    "el": "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.",
}
SHORT = {
    "ja": ("氏名,住所\n山田太郎,大阪府", "会議室Ａ 第２回 議事録", "バックアップ"),
    "ko": ("이름,부서\n김철수,영업부", "부산광역시 해운대구"),
    "zh": ("会议纪要", "李明 王芳", "合同编号：A-102，金额5000元"),
    "zht": ("會議記錄 第二次", "台北市信義區"),
    "de": ("Müller; Jörg; Düsseldorf", "Größe"),
    "fr": ("façade; garçon", "Où êtes-vous né ?"),
    "pl": ("Wrocław; Kraków; Gdańsk",),
    "cs": ("Brno; Plzeň; České Budějovice",),
    "hu": ("Árvíztűrő",),
    "ru": ("Имя;Отдел\nИванов;Продажи",),
    "el": ("Τιμή: 20",),
}
WIDE = ("utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-16", "utf-32-le", "utf-32-be", "utf-32")
ENCODINGS = {
    "ja": ("cp932", "shift_jis", "euc_jp", "iso2022_jp"),
    "ko": ("cp949", "euc_kr", "iso2022_kr"),
    "zh": ("gb18030", "gbk"),
    "zht": ("big5",),
    "de": ("cp1252",),
    "fr": ("cp1252",),
    "pl": ("cp1250", "iso8859_2"),
    "cs": ("cp1250", "iso8859_2"),
    "hu": ("cp1250", "iso8859_2"),
    "ru": ("cp1251", "koi8_r"),
    "el": ("cp1253",),
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [(language, one) for language in LONG for one in (*ENCODINGS[language], *WIDE)],
)
def test_a_text_is_what_was_written(language: str, encoding: str) -> None:
    with suppress(UnicodeEncodeError):  # a dash that KOI8-R has not
        assert decode(LONG[language].encode(encoding)) == LONG[language]


@pytest.mark.parametrize("language", SHORT)
def test_a_few_words_are_what_was_written_or_unreadable(language: str) -> None:
    for text in SHORT[language]:
        for encoding in (*ENCODINGS[language], *WIDE):
            with suppress(UnreadableError):
                assert decode(text.encode(encoding)) == text


def test_one_language_is_not_read_as_another_that_looks_as_likely() -> None:
    with pytest.raises(UnreadableError, match="save it as UTF-8"):
        decode("Brno; Plzeň; České Budějovice".encode("cp1250"))
