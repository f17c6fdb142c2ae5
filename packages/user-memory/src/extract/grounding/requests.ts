import type { Utterance } from "./utterance.ts";

/** Asked of the assistant: `I don't remember names` and `don't forget that …` aren't. */
const UNWANTED =
  /(?<![\p{L}\p{N}])(?:(?<!(?:i|we|they|he|she|who|you) )(?:do not|don['’]?t|never)\s(?:remember|save|store|keep|memori[sz]e|note|record|log|write (?:this|that|it|any of (?:this|that|it)) down|tell (?:anyone|anybody))|(?:please |just )?keep (?:this|that|it) (?:(?:strictly )?between us|private|secret|confidential|to yourself|off the)|(?:just )?between (?:you and me|us)|(?<!(?:i|we|to|not|n['’]t|never) )(?:delete|erase|wipe) (?:this|that|it|everything)(?: message| chat| conversation)?(?=\s*(?:[.!,;)\n]|$|after|later|again|please|when|once|from (?:your )?memory))|no need to (?:remember|save|store|keep|note)|(?<!(?:i|we|they|he|she|who|not|never|n['’]t|dont|to) )forget (?:that|what|this|about|it|everything)|off the record|(?:merk|speicher)\p{L}* (?:dir )?(?:das |es |bitte )*nicht|vergiss(?! nicht)|ne (?:retiens|mémorise|enregistre|note|garde)|(?<!n['’])oublie(?! pas)|no (?:recuerdes|guardes|memorices)|(?<!no )olvida)(?![\p{L}\p{N}])|不要记|别记|不要保存|忘掉|覚えないで|忘れて/iu;
const RETRACTED =
  /(?:^|[.!?,;:…—(\n-]\s*|(?:i['’]?m|am|was)\s)(?:(?:just )?(?:kidding|joking)|jk|not really|not at all|scratch that|i take (?:it|that) back|never mind|(?:that['’]?s|it['’]?s) (?:a lie|not true)|i lied|(?:nur|war nur) (?:ein )?spaß|stimmt nicht|je plaisante|c['’]est faux|es broma|no es verdad)(?![\p{L}\p{N}])|开玩笑|冗談/iu;

/** Whether one of the messages of a turn asks not to keep what the turn says. */
export const isUnwanted = (turn: readonly Utterance[]): boolean =>
  turn.some(({ sentences, text }) => UNWANTED.test(text) && sentences.some(({ words }) => words.length > 0));

/** Whether one of the messages of a turn takes back what the turn says. */
export const isRetracted = (turn: readonly Utterance[]): boolean =>
  turn.some(({ text }) => RETRACTED.test(text));
