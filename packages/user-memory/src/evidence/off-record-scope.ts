import { OFF_THE_RECORD } from "@jaf/memory/internal";
import { asksNotToKeep, plain } from "./off-record.ts";

/** Matches words that extend a request to what follows, in the languages of the check. */
const STANDING = new RegExp(
  [
    "from (?:now|here) on|going forward|as of now|from this point|for the (?:rest|remainder) of|until (?:i|further|you hear)|for (?:a while|now|the next)",
    "(?:this|our) (?:whole |entire )?(?:conversation|chat|session)|(?:everything|anything|nothing|whatever) i (?:say|tell)|memory off",
    "ab (?:jetzt|sofort|nun)|von (?:jetzt|nun) an|bis (?:ich|auf weiteres)|(?:diese[ms]?|das ganze) (?:chat|gesprach|unterhaltung)",
    "a partir de (?:maintenant|ahora|agora)|desormais|dorenavant|jusqu'a|(?:cette|esta|questa|essa) (?:conversa|sesion|sessao|sessione|discussion)",
    "(?:de|desde) ahora|hasta que|(?:d'ora|da adesso|da ora) in (?:poi|avanti)|finche|daqui (?:em|para) (?:diante|frente)|ate (?:que|eu)",
    "vanaf nu|voortaan|tot (?:ik|nader)|dit gesprek|od (?:teraz|tej chwili)|dopoki|tej rozmow",
    "с этого момента|с этои минуты|отныне|впредь|пока (?:я )?не|этом разговоре",
    "bundan sonra|su andan itibaren|bu sohbet|soyleyene kadar|अब से|आगे से|इस बातचीत|(?<!\\p{L})ab se(?!\\p{L})|من ال[اآ]ن|حتى [اأ]|هذه المحادثة",
    "[从從][现現]在|今[后後]|以[后後]|接下[来來]|直到我|[这這]次[对對][话話]|以下|これから|今後|以降|この会話|言うまで|지금부터|이제부터|앞으로|이 대화",
  ].join("|"),
  "u",
);

/** Matches permissions to remember again. */
const RESUMED = new RegExp(
  [
    "(?:remember|save|store|keep|record|note|log|memori[sz]e|take|write)\\b[^.!?\\n]{0,30}\\bagain|memory (?:is |back |on )?on(?!\\p{L})|on the record (?:again|now)|back on the record|(?:resume|start) (?:remembering|saving|recording)",
    "wieder (?:etwas |alles |was )?(?:merken|speichern|notieren|behalten|aufschreiben)|(?:retenir|noter|enregistrer|garder|memoriser)[^.\\n]{0,20} (?:a|de) nouveau|(?:a|de) nouveau (?:retenir|noter|enregistrer|garder|memoriser)",
    "(?:guardar|recordar|anotar|registrar|memorizar|lembrar|salvar|ricordare|salvare|memorizzare)[^.\\n]{0,20} (?:de nuevo|otra vez|de novo|outra vez|novamente|di nuovo)|(?:volver a|voltar a|tornare a) (?:guardar|recordar|anotar|registrar|lembrar|salvar|ricordare|salvare|memorizzare)",
    "weer (?:alles |dingen )?(?:onthouden|opslaan|bewaren|noteren)|(?:znowu|znow|ponownie)[^.\\n]{0,20}(?:zapami|zapis|notow)|(?:снова|опять)[^.\\n]{0,20}(?:запомина|сохран|записыва)",
    "(?:tekrar|yeniden)[^.\\n]{0,20}(?:kaydet|hatirla|sakla)(?!m[ae])|फिर से[^।\\n]{0,20}(?:याद|सेव|नोट)|(?:تحفظ|تتذكر|تسجل)[^.\\n]{0,20}(?:مجددا|من جديد|مرة)",
    "(?:可以|能)(?:再|重新|[继繼][续續])[^。\\n]{0,6}(?:[记記]|保存|[储儲]存)|また(?:覚え|記憶|保存|記録)|다시 ?(?:기억|저장|기록)",
  ].join("|"),
  "u",
);

/** Whether the application marked one of the messages. Unlike a request in words, a mark is always heard. */
export const isMarked = (said: readonly string[]): boolean =>
  said.some((text) => text.includes(OFF_THE_RECORD));

/**
 * Whether the user asked that a turn isn't kept:
 *
 * - A message of the turn asks so.
 * - An earlier message asked so for what follows (`from now on`), and no message since allowed to remember again.
 */
export function isOffRecord(said: readonly string[], earlier: readonly string[]): boolean {
  if (said.some(asksNotToKeep)) return true;
  const [first = ""] = said;
  return !RESUMED.test(plain(first)) && isStanding(earlier);
}

function isStanding(earlier: readonly string[]): boolean {
  for (const text of earlier.toReversed()) {
    const message = plain(text);
    // The two quick checks first: a conversation may have many messages.
    const mayStand = STANDING.test(message);
    const mayResume = RESUMED.test(message);
    if (!mayStand && !mayResume) continue;
    const asks = asksNotToKeep(text);
    if (asks && mayStand) return true;
    if (!asks && mayResume) return false;
  }
  return false;
}
