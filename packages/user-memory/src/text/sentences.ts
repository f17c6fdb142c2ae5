import { lazy } from "@jaf/memory/adapter";

/**
 * By whose rules texts are divided. A machine's own would divide the same text in another way than the one that wrote it: where
 * Greek is spoken, sentences end at a semicolon. `und` is no such locale: the runtime takes the machine's for it. English
 * changes nothing of the rules that hold for all languages.
 */
export const FIXED_LOCALE = "en";

const segmenter = lazy(() => new Intl.Segmenter(FIXED_LOCALE, { granularity: "sentence" }));

/** A text in sentences, the white space behind each with it: the same on every machine. */
export const sentencesIn = (text: string): Iterable<Intl.SegmentData> => segmenter().segment(text);
