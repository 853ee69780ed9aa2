"""Pages that are shown instead of an article, in any language, and short articles that are none of them."""

import pytest

from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.fetching.fetch import FetchedPage
from weiwo.tools.web.fetching.page_parser import parse_page

WALLS = [
    ("blocked", "Loading", "You need to enable JavaScript to run this app."),
    ("blocked", "Notice", "Please enable JS and disable any ad blocker."),
    ("blocked", "Hinweis", "Bitte aktivieren Sie JavaScript, um diese Seite anzuzeigen."),
    ("blocked", "Aviso", "Para continuar, active JavaScript en su navegador."),
    ("blocked", "Tageblatt", "Wir und unsere 211 Partner speichern Informationen auf Ihrem Gerät. Alle akzeptieren. Ablehnen."),
    ("blocked", "El Faro", "Nosotros y nuestros 140 socios usamos cookies. Aceptar todo. Rechazar todo. Configurar."),
    ("blocked", "Il Molo", "Noi e i nostri 90 partner utilizziamo i cookie. Accetta tutti. Rifiuta. Personalizza."),
    ("blocked", "De Kade", "Wij en onze 77 partners gebruiken cookies. Alles accepteren. Voorkeuren."),
    ("blocked", "Le Quai", "Le port ferme. Cet article est réservé aux abonnés. Déjà abonné ? Connectez-vous."),
    ("blocked", "El Muelle", "El puerto cierra. Contenido exclusivo para suscriptores. Suscríbete para seguir leyendo."),
    ("blocked", "Причал", "Порт закрывается. Материал доступен только для подписчиков. Оформите подписку."),
    ("blocked", "港の新聞", "港が閉まる。この記事は会員限定です。ログインして続きをお読みください。"),
    ("blocked", "The Quay", "The port closes. This article is for subscribers. Start your free trial today."),
    ("blocked", "quay.example", "This domain is for sale. Buy this domain. Related searches: harbour, port, quay."),
    ("blocked", "hafen.example", "Diese Domain steht zum Verkauf. Preis auf Anfrage."),
    ("blocked", "Spirits", "Welcome. Are you over 18? Yes. No. Please drink responsibly."),
    ("blocked", "Weine", "Sind Sie über 18 Jahre alt? Ja. Nein."),
    ("blocked", "Accès", "Veuillez vérifier que vous êtes humain avant de continuer."),
    ("blocked", "Проверка", "Подтвердите, что вы человек, чтобы продолжить."),
    ("blocked", "503 Service Unavailable", "The server is temporarily unavailable. Please try again later."),
    ("blocked", "Wartung", "Unsere Seite ist wegen Wartungsarbeiten vorübergehend nicht erreichbar."),
    ("blocked", "Accès refusé", "Vous n'avez pas la permission de consulter cette ressource."),
    ("not_found", "Fehler 404", "Die gewünschte Seite wurde nicht gefunden. Zur Startseite."),
    ("not_found", "Erreur", "La page que vous recherchez n'existe plus ou a été déplacée."),
    ("not_found", "Errore", "Pagina non trovata. Torna alla home page del sito."),
    ("not_found", "Fout", "Pagina niet gevonden. Ga terug naar de startpagina."),
    ("not_found", "Ошибка", "Страница не найдена или была удалена. На главную."),
    ("not_found", "エラー", "お探しのページは見つかりませんでした。トップへ戻る。"),
    ("not_found", "오류", "요청하신 페이지를 찾을 수 없습니다. 홈으로 이동."),
    ("not_found", "Hmm", "The page you are looking for has been moved or no longer exists."),
]  # fmt: skip
ARTICLES = [
    ("Ferry", "The ferry to Ostrel sails at noon. Tickets cost 12 crowns. It was built in 1904 and holds 80 people."),
    ("Tower hours", "The tower is open from 9 to 5. On Mondays it is closed. The climb has 212 steps and no lift."),
    (
        "Consent law",
        "Under the act of 2018 consent must be given freely, and can be withdrawn at any time by the person.",
    ),
    ("Notiz", "Der Rat tagte am Dienstag. Die Gebühr steigt auf 14 Kronen. Der Beschluss gilt ab März 2027."),
    ("Кран", "Кран номер 7 поднимает 40 тонн. Его построили в 1962 году на верфи в Дрогаве, и он работает до сих пор."),
    ("灯台", "灯台は1904年に建てられた。高さは33メートルで、光は20海里先まで届く。今も使われている。"),
    ("Pagina", "La lampara del faro fue encendida en 1887 por Ida Thorn. Mide treinta metros y se ve a veinte millas."),
    ("Parking", "The lot behind the station has 120 places. The day costs 8 crowns, and the night is free of charge."),
]


def read(title, body, *, url="https://x.example/article", more=""):
    html = (
        f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{body}</p>{more}</main></body></html>"
    )
    return parse_page(FetchedPage(url=url, body=html.encode(), type="text/html", charset="utf-8"))


@pytest.mark.parametrize(("kind", "title", "body"), WALLS)
def test_a_wall_is_no_source(kind, title, body):
    with pytest.raises(ToolCallError, match="shown instead of the page") as refused:
        read(title, body)
    assert refused.value.kind == kind


@pytest.mark.parametrize(("title", "body"), ARTICLES)
def test_a_short_article_is_a_page(title, body):
    assert body.split()[0] in read(title, body).text


@pytest.mark.parametrize(
    ("url", "more"),
    [
        ("https://login.x.example/?next=/article", ""),
        ("https://x.example/signin?from=article", ""),
        ("https://consent.x.example/collect", ""),
        ("https://x.example/age-gate/", ""),
        ("https://x.example/article", '<form><input name="who"><input type="password" name="what"></form>'),
    ],
)
def test_few_words_behind_a_redirect_or_a_password_are_a_wall(url, more):
    words = "Velkommen til havnebladet. Vi er glade for at se deg her i dag, og det er fint."
    assert read("Havn", words).text
    with pytest.raises(ToolCallError, match="shown instead of the page"):
        read("Havn", words, url=url, more=more)


def test_a_long_article_behind_the_same_address_is_one():
    words = " ".join(f"The quay of pier {n} was built in {1800 + n}, and holds {n} ships." for n in range(40))
    assert "pier 7" in read("Quays", words, url="https://x.example/login/history").text
