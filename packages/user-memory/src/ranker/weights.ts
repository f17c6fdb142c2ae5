/** How much each kind of evidence counts. The defaults were found by measuring; each lies where a change of a third changes little. */
export interface RankingWeights {
  /** BM25's k1: how soon the repetition of a word stops counting. */
  readonly saturation: number;
  /** Exponent of a word's rarity (idf). */
  readonly rarity: number;
  /** BM25's b: how much less a word counts in a document that is longer than usual; 0: its length doesn't matter. */
  readonly length: number;
  /** Exponent of the number of words of the query that are met. */
  readonly coverage: number;
  /** What a word counts that the document itself asks with, where several people talk: the answer is another's. */
  readonly askedHere: number;
  /** Factor for a word that a message before asked with: this one may be the answer. */
  readonly askedBefore: number;
  /** Factor for a word that a message after asks with. */
  readonly askedAfter: number;
  /** What a word counts that was said one message before, two before, and so on. */
  readonly before: readonly number[];
  /** What a word counts that was said one message after, two after, and so on. */
  readonly after: readonly number[];
  /** What the words count that were said anywhere in the conversation. */
  readonly conversation: number;
  /** A conversation of more messages than this says less of each of them. */
  readonly conversationSize: number;
  /** Exponent of the number of words of the query that are met in the conversation. */
  readonly conversationCoverage: number;
  /** Factor for a document by somebody whom the query names. */
  readonly author: number;
  /** Factor on top of `author` for whom the query names second or later. */
  readonly laterAuthor: number;
  /** As `author`, for a message that was found by its neighbours alone, so that its author is inferred. */
  readonly inferredAuthor: number;
  /** Factor for what the assistant said. */
  readonly assistant: number;
  /** Factor for a document that says when, if the query asks when. */
  readonly time: number;
  /** How much of its own score a document gains by being of the date that the query names. */
  readonly date: number;
  /** What a document gains by its date alone. */
  readonly dateAlone: number;
}

export const defaultWeights: RankingWeights = {
  saturation: 1.5,
  rarity: 1.2,
  length: 0.7,
  coverage: 0.3,
  askedHere: 0.5,
  askedBefore: 2,
  askedAfter: 0.7,
  before: [0.4, 0.2],
  after: [0.3, 0.15],
  conversation: 0.25,
  conversationSize: 20,
  conversationCoverage: 0.75,
  author: 3,
  laterAuthor: 0.7,
  inferredAuthor: 2,
  assistant: 0.5,
  time: 1.3,
  date: 2,
  dateAlone: 8,
};
