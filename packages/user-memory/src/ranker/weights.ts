/** The weights of the ranker, found by measurement. If a weight changes by a third, rankings change little. */
export const WEIGHTS = {
  /** BM25's k1: how soon further repetitions of a word stop adding to the score. */
  saturation: 1.5,
  /** Exponent of a word's rarity (idf), i.e. how few of the user's documents contain the word. */
  rarity: 1.2,
  /** BM25's b: how much less a word counts in a longer document. */
  length: 0.7,
  /**
   * A document's score by words is multiplied by `n ** coverage`. `n` is the number of query words that the document
   * matches.
   */
  coverage: 0.3,
  /** Factor for a word in a question of the document itself, if the documents have several authors. */
  // Another author answers the question.
  askedHere: 0.5,
  /** Factor for a word in a question of a message before the document. */
  // The document can be the answer.
  askedBefore: 2,
  /** Factor for a word in a question of a message after the document. */
  askedAfter: 0.7,
  /** Weights of a word in the messages before the document, the nearest message first. */
  before: [0.4, 0.2],
  /** Weights of a word in the messages after the document, the nearest message first. */
  after: [0.3, 0.15],
  /** Factor for the weights `before` and `after` of a query of full {@link Query.breadth}. */
  // A request continues an earlier conversation more often than one message of it.
  broadNeighbours: 1.5,
  /** Weight of the score for the document's whole conversation. It falls to 0 with the query's {@link Query.breadth}. */
  // A long conversation contains most words of a long request by chance.
  conversation: 0.25,
  /** Number of messages in a conversation above which the weight `conversation` falls. */
  conversationSize: 20,
  /**
   * The score for the whole conversation is multiplied by `n ** conversationCoverage`. `n` is the number of query words
   * that the conversation contains.
   */
  conversationCoverage: 0.75,
  /** Factor for a document whose author the query names. */
  author: 3,
  /** Additional factor for a document whose author the query names after another author. */
  laterAuthor: 0.7,
  /** Factor for a message without a word of the query, if the query names the message's guessed author. */
  inferredAuthor: 2,
  /** Factor for a message of the assistant. */
  assistant: 0.5,
  /** Factor for a document that mentions a time, if the query asks for a time (`when …`). */
  time: 1.3,
  /** If the query names a date of the document, the document's score grows by this number times the score. */
  date: 2,
  /** If the query names a date of the document, this number is added to the document's score. */
  // So the document is found even if no word matches.
  dateAlone: 8,
  /**
   * The score of the user's latest document grows by this number times the square of the
   * query's {@link Query.breadth}.
   */
  // People go on with what they did lately.
  recency: 1,
  /** Share of the user's documents after which the growth by `recency` has halved. */
  recencyHalf: 0.1,
  /** Factor for a document for each better one of the same message. */
  // A message is shown by its best part. Its other parts say more about the same.
  sameMessage: 0.5,
  /**
   * Factor for a document for each better one that was said near it, to the power of the query's {@link Query.breadth}.
   */
  // A request needs several conversations more than one thing several times.
  sameMatter: 0.5,
  /** Distance, in messages of a conversation, up to which two messages count as near each other. */
  matterReach: 10,
  /** Factor for a name in a query of full {@link Query.breadth}, i.e. for a capitalized word within a sentence. */
  name: 2,
  /** Factor for a word that isn't in the query, but was said shortly before it in the conversation. */
  context: 0.5,
} as const;
