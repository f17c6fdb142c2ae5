/** Lines that hold somebody else's text by how they stand there: quoted, fenced, in a letter, under a line that announces it. */
const FENCE = /^\s*(```|~~~|"""|''')/;
const QUOTED = /^\s*>/;
const HEADER = /^(?:from|to|subject|date|cc|betreff|reply-to|sent):\s/i;
const SALUTATION = /^\s*(?:dear\s.+|(?:hi|hello|hey)\s+(?!there\b|jaf\b|assistant\b).+),\s*$/i;
const SIGN_OFF =
  /^\s*(?:(?:kind|best|warm)(?:est)?\s+(?:regards|wishes)|best|regards|sincerely(?: yours)?|yours(?: (?:truly|faithfully|sincerely))?|cheers|all the best|thanks|love),?\s*$/i;
const CHAT_LINE = /^\s*(?:\[[^\]\n]*\d[^\]\n]*\]\s*\S|[\p{L} .]{1,30}\s\(\d{1,2}[:.]\d{2}\):)/u;
const ANNOUNCES = /[:：]\s*$/;
const OF_THE_USER = /\b(?:me|myself|my details|i(?:'m| am)?)\s*[:：]\s*$/i;
const TELLS_THE_USER = /\b(?:told|wrote|sent|texted|emailed|gave|says?|said)\b/i;
const LIST = /^\s*(?:[-*•–+]\s|\d{1,2}[.)]\s)/;

/** The lines of a text, and which of them are somebody else's. */
export function linesOf(text: string): readonly { readonly line: string; readonly isForeign: boolean }[] {
  const lines = text.split("\n");
  const filled = lines.filter((line) => line.trim() !== "");
  const isLetter =
    (SALUTATION.test(filled[0] ?? "") && filled.length > 2) ||
    (filled.length > 2 && filled.slice(-2).some((line) => SIGN_OFF.test(line))) ||
    filled.filter((line) => HEADER.test(line)).length > 1;
  let fence: string | undefined;
  let isAnnounced = false;
  return lines.map((line, index) => {
    const mark = FENCE.exec(line)?.[1];
    const isFenced = fence !== undefined || mark !== undefined;
    if (mark !== undefined && (fence === undefined || fence === mark))
      fence = fence === undefined ? mark : undefined;
    const isForeign = isLetter || isFenced || isAnnounced || QUOTED.test(line) || CHAT_LINE.test(line);
    if (isFenced || isAnnounced || !announces(line)) return { line, isForeign };
    const next = lines.slice(index + 1).find((later) => later.trim() !== "");
    if (next !== undefined && !FENCE.test(next) && !QUOTED.test(next) && !LIST.test(next)) isAnnounced = true;
    return { line, isForeign };
  });
}

const announces = (line: string): boolean =>
  ANNOUNCES.test(line) && (!OF_THE_USER.test(line) || TELLS_THE_USER.test(line));
