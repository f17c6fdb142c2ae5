import { lazy } from "@jaf/memory/adapter";
import { FIXED_LOCALE } from "./locale.ts";

const segmenter = lazy(() => new Intl.Segmenter(FIXED_LOCALE, { granularity: "sentence" }));

/** A text in sentences, the white space behind each with it: the same on every machine. */
export const sentencesIn = (text: string): Iterable<Intl.SegmentData> => segmenter().segment(text);
