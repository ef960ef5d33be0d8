"""Mails and forms that are pasted as queries: the problem is read, what is around it is not.

`read_mail` leaves out heads of mails and of a ticket system's forms, greetings and signatures, and
takes the subject from a head. `without_marks` leaves out "RE:", "FW:" and "[EXTERNAL]". The lists
cover mails in some twenty languages, forms in English and German. A text in doubt stays: what looks
like code, a list or a sentence is no signature. See docs/results/reading.md, "A pasted mail".
"""

import re
from itertools import dropwhile, groupby
from typing import NamedTuple

_SUBJECTS = (
    "subject|betreff|objet|asunto|oggetto|assunto|onderwerp|temat|ämne|emne|aihe|předmět|predmet"
    "|tárgy|konu|subiect|θέμα|тема|件名|主题|主旨|主題|제목"
)
_TITLES = "short description|summary|title|kurzbeschreibung|zusammenfassung|titel|resumen|titre"
_OTHERS = (
    "from|von|de|da|van|od|från|fra|lähettäjä|feladó|kimden|от|差出人|发件人|寄件者|보낸 사람"
    "|sent|gesendet|envoyé|enviado(?: el)?|inviato|verzonden|wysłano|skickat|sendt|lähetetty"
    "|odesláno|odoslané|отправлено|送信日時|发送时间|보낸 날짜|date|datum|fecha|data|dato|дата"
    "|to|an|à|a|para|aan|do|till|til|vastaanottaja|komu|címzett|kime|кому|宛先|收件人|받는 사람"
    "|cc|bcc|kopie|copie|copia|kopia|kopi|kopio|dw|копия|抄送|reply-to"
    "|importance|priority|wichtigkeit|priorität|attachments|anlagen"
    "|number|ticket(?: number| id)?|incident|type|issue type|status|state|urgency|severity|impact"
    "|caller|reporter|requester|assignee|assigned to|assignment group|opened(?: by)?"
    "|created(?: by)?|updated|labels|watchers|resolution"
    "|nummer|melder|bearbeiter|erstellt|dringlichkeit"
)

_SUBJECT_LINE = re.compile(rf"[\s>*]*(?:{_SUBJECTS}|{_TITLES})[\s*]*[:：][\s*]*(.*)", re.IGNORECASE)
"""The line of a head with the subject, its first group."""

_TITLE_LINE = re.compile(rf"[\s>*]*(?:{_TITLES})[\s*]*[:：]", re.IGNORECASE)
_HEAD_LINE = re.compile(rf"[\s>*]*(?:{_SUBJECTS}|{_TITLES}|{_OTHERS})[\s*]*[:：]", re.IGNORECASE)
_FIELD = re.compile(r"\s*(?:[^\W\d_][\w /-]{0,30}[:：].*)?")
"""A line of a form, or an empty one."""

_SEPARATOR = re.compile(r"[\s>]*[-_]{5,}(?:[ \w]+-+)?\s*")
"""A line above a head, such as "-----Original Message-----"."""

MANY = 4
"""Minimum number of lines of a head without a subject."""

MOST_LINE = 72
"""Maximum length of a greeting, a closing and a line of a signature, in characters."""

MOST_SIGNATURE = 25
"""Maximum length of a signature with its closing, in lines."""

_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|day|afternoon|evening)|greetings|hallo|moin|servus"
    r"|guten (?:tag|morgen|abend)|sehr geehrte[rs]?|liebe[rs]?|bonjour|bonsoir|hola"
    r"|buenos d[ií]as|buongiorno|gentil[ei]|olá|hej|beste|witam)"
    r"(?: (?:all|team|there|everyone|folks|guys|support|zusammen|à tous|a todos|a tutti))*"
    r"(?:[.!]?|(?:[ ,.]{1,2}\w+){0,5},)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:--|(?:(?:with |many thanks and |thanks (?:and|&) )?(?:best |kind |kindest |warm )?)"
    r"(?:regards|wishes)|(?:many )?thanks(?: in advance| a lot| again| very much)?"
    r"|thank you(?: very much)?(?: in advance)?|cheers|sincerely(?: yours)?"
    r"|yours (?:sincerely|faithfully|truly)|(?:vielen |besten )?dank(?: im voraus)?"
    r"|(?:mit )?(?:(?:freundliche|beste|viele|liebe|schöne)[nr]? )?gr[uü]e?(?:ß|ss)e?n?"
    r"|mfg|(?:bien )?cordialement|merci(?: d'avance)?|(?:un )?saludos?(?: cordial(?:es)?)?"
    r"|atentamente|gracias|(?:cordiali|distinti) saluti|grazie|atenciosamente|obrigad[oa]"
    r"|met vriendelijke groeten?|bedankt|pozdrawiam|z poważaniem|s pozdravem|mvh"
    r"|(?:med )?(?:vänliga|venlig|bästa|bedste) h[ia]ls(?:ningar|ning|en)"
    r"|(?:sent from my|gesendet von meinem|envoyé de mon|enviado desde mi) [\w ]+)\W{0,3}",
    re.IGNORECASE,
)
_DISCLAIMER = re.compile(
    r"\b(?:confidential\w*|privileged|disclaimer|addressee|intended (?:only|solely|recipient)"
    r"|vertraulich\w*|confidentiel\w*|confidencial\w*|riservat\w*)\b",
    re.IGNORECASE,
)
_MORE_TO_READ = re.compile(
    r"[{}=\\]|\w\(|[;:!?]\s*$|(?<!ltd)(?<!inc)(?<!corp)(?<!co)\.\s*$|^\W*(?:ps|p\.s|edit|update)\b",
    re.IGNORECASE,
)
"""Code, a sentence, the announcement of a list or an afterthought."""

_MARKS = re.compile(
    r"(?:(?:(?:re|aw|fwd?|wg|tr|sv|vs|rv|odp|antw)(?:\[\d+\])?\s?[:：]|\[ext(?:ernal)?\])\s*)+",
    re.IGNORECASE,
)


class Mail(NamedTuple):
    """The subject in the head of a mail, "" without a head, and what the mail says."""

    subject: str
    text: str


def read_mail(text: str) -> Mail:
    """A text without heads of mails, greetings and signatures, unless nothing else is in it. The
    subject is that of the first head."""
    subjects: list[str] = []
    parts: list[list[str]] = [[]]
    above = _Above(is_empty=True, is_form=True)
    for is_head, group in groupby(text.splitlines(), lambda line: bool(_HEAD_LINE.match(line))):
        lines = list(group)
        found = [match[1] for match in map(_SUBJECT_LINE.match, lines) if match]
        if is_head and (len(lines) >= (2 if found else MANY) or (found and above.opens(lines[0]))):
            if parts[-1] and _is(_SEPARATOR, parts[-1][-1]):
                parts[-1].pop()
            subjects += found[:1]
            parts.append([])
        else:
            parts[-1] += lines
        above = above.and_then(lines)
    said = "\n\n".join(filter(None, map(_said, parts)))
    subject = without_marks(subjects[0]) if subjects else ""
    return Mail(subject, said if said or subject else text.strip())


def without_marks(subject: str) -> str:
    """A subject without the marks that mail programs put before it, unless it has only these."""
    subject = subject.strip()
    marks = _MARKS.match(subject)
    return subject[marks.end() :] or subject if marks else subject


class _Above(NamedTuple):
    """The lines above a line: whether they are empty, and whether they may be those of a form."""

    is_empty: bool
    is_form: bool

    def opens(self, line: str) -> bool:
        """Whether a line with a subject is a head by itself: the first line, or the title below
        other lines of a form."""
        return self.is_empty or (self.is_form and _TITLE_LINE.match(line) is not None)

    def and_then(self, lines: list[str]) -> "_Above":
        """The same with further lines. Below a subject no form goes on."""
        is_form = self.is_form and not any(map(_SUBJECT_LINE.match, lines))
        return _Above(
            self.is_empty and not any(map(str.strip, lines)),
            is_form and all(map(_FIELD.fullmatch, lines)),
        )


def _said(lines: list[str]) -> str:
    """The lines of one mail without its greeting and its signature."""
    ungreeted = dropwhile(lambda line: not line.strip() or _is(_GREETING, line), lines)
    return "\n".join(_unsigned([*ungreeted])).strip()


def _unsigned(lines: list[str]) -> list[str]:
    for place in range(max(0, len(lines) - MOST_SIGNATURE), len(lines)):
        if _is(_CLOSING, lines[place]) and _is_signature(lines[place + 1 :]):
            return lines[:place]
    return lines


def _is_signature(lines: list[str]) -> bool:
    """Whether nothing but names, addresses and a disclaimer follows a closing."""
    for line in lines:
        if _DISCLAIMER.search(line):
            return True
        if len(line) > MOST_LINE or _MORE_TO_READ.search(line):
            return False
    return True


def _is(pattern: re.Pattern[str], line: str) -> bool:
    line = line.strip(" \t>*")
    return len(line) <= MOST_LINE and pattern.fullmatch(line) is not None
