import { lazy } from "@jaf/memory/adapter";
import type { Line } from "./line.ts";

/** `Ann: …`, `From: …`; not a time, nor an address of a page. */
const LABEL = lazy(
  () =>
    /^\s*[*@_]{0,2}(?<label>\p{L}[\p{L}\p{M}\p{N}._'’-]{0,30}(?: [\p{L}\p{N}(][\p{L}\p{M}\p{N}._'’)-]{0,30}){0,2})[*_]{0,2}\s?(?:(?<!\d)[:：]|[:：](?!\d))(?!\/\/)\s*(?<value>\S.*)/u,
);
const SUBJECT =
  /^(?:re|subject|betreff|betrifft|objet|sujet|asunto|oggetto|assunto|onderwerp|temat|тема|konu|件名|主题|主題|제목|विषय|الموضوع)$/iu;
const MAIL_ADDRESS = /[^\s@]@[^\s@]{1,60}\.\p{L}/u;
const LABEL_OF_AN_ADDRESS = /mail|почта|邮箱|郵箱|メール|이메일|بريد/iu;
/** Somebody speaks: words for the speaker, or a question or an exclamation. */
const SPEECH = lazy(
  () =>
    /(?<![\p{L}\p{M}])(?:i|i['’]\p{L}+|me|my|we|our|ich|mich|mir|meine?|wir|je|j['’]\p{L}+|moi|mon|ma|mes|nous|yo|mi|mis|io|mio|mia|eu|meu|minha|ik|mij|mijn|ja|mnie|mam|jestem|ben|benim|я|меня|мне|мой|моя|мы|मैं|मेरा|मेरी|أنا|انا)(?![\p{L}\p{M}])|[我咱私僕俺]|저는|나는|제가|내가|[?!？！]\s*$/iu,
);

/** The number of a ticket, in the line above its labels. */
const TICKET = /^\W{0,5}(?:\p{L}{1,20}\s)?(?:[A-Z]{2,10}-\d+|#\d+)/u;

interface Labelled {
  readonly line: Line;
  readonly label: string;
  readonly value: string;
}

export const isLabelled = (line: Line): boolean => line.text.length <= 500 && LABEL().test(line.text);

function labelled(line: Line): Labelled | undefined {
  const { label, value } = (line.text.length <= 500 ? LABEL().exec(line.text)?.groups : undefined) ?? {};
  return label === undefined || value === undefined ? undefined : { line, label, value };
}

/** The line where the head of a mail or a chat of names begins; labels of the user's own (`Diet: vegan`) are neither. */
export function headIn(filled: readonly Line[]): Line | undefined {
  let run: Labelled[] = [];
  let above = "";
  for (const line of [...filled, undefined]) {
    const found = line && labelled(line);
    if (found !== undefined) run.push(found);
    else {
      if (run.length > 1 && (isMailHead(run) || isChat(run) || TICKET.test(above))) return run[0]?.line;
      run = [];
      above = line?.text ?? "";
    }
  }
  return undefined;
}

const isMailHead = (run: readonly Labelled[]): boolean =>
  run.some(
    ({ label, value }) =>
      SUBJECT.test(label) || (MAIL_ADDRESS.test(value) && !LABEL_OF_AN_ADDRESS.test(label)),
  );

/** A name comes again, or half of what is said is in the first person. */
const isChat = (run: readonly Labelled[]): boolean =>
  new Set(run.map(({ label }) => label)).size < run.length ||
  run.filter(({ value }) => SPEECH().test(value)).length * 2 >= run.length;
