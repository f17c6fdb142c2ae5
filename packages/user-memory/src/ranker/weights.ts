/** The weights of the ranker, found by measurement. A change of one by a third has little effect. */
export const WEIGHTS = {
  /** BM25's k1: how fast repetitions of a word stop counting. */
  saturation: 1.5,
  /** Exponent of a word's rarity (idf). */
  rarity: 1.2,
  /** BM25's b: how much less a word counts in a longer document; with 0, the length doesn't matter. */
  length: 0.7,
  /** Exponent of the number of matched words of the query. */
  coverage: 0.3,
  /** Weight of a word in a question of the document itself, with several authors, since another one answers. */
  askedHere: 0.5,
  /** Factor for a word in a question of an earlier message, since this one can be the answer. */
  askedBefore: 2,
  /** Factor for a word in a question of a later message. */
  askedAfter: 0.7,
  /** Weights of a word one message before, two before, and so on. */
  before: [0.4, 0.2],
  /** Weights of a word one message after, two after, and so on. */
  after: [0.3, 0.15],
  /** Weight of words anywhere in the conversation. */
  conversation: 0.25,
  /** In a conversation with more messages than this, its words count less. */
  conversationSize: 20,
  /** Exponent of the number of matched words of the query in the conversation. */
  conversationCoverage: 0.75,
  /** Factor for an author that the query names. */
  author: 3,
  /** Additional factor for authors that the query names second or later. */
  laterAuthor: 0.7,
  /** Like `author`, for a message with an inferred author, found only by its neighbours. */
  inferredAuthor: 2,
  /** Factor for messages of the assistant. */
  assistant: 0.5,
  /** Factor for a document with a time, if the query asks when. */
  time: 1.3,
  /** The share of its own score that a document gains by the date in the query. */
  date: 2,
  /** The score that a document gains by its date alone. */
  dateAlone: 8,
} as const;
