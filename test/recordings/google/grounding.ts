import type { Json, Recording } from "../recording.ts";
import { weather } from "./function-calls.ts";
import { event, model, replied, reply, results, says } from "./replies.ts";

const documented = "https://ai.google.dev/gemini-api/docs/google-search";

const agentWith = (google: Json) => ({ modelConfig: { providerOptions: { google } } });

const bytes = (text: string): number => new TextEncoder().encode(text).length;

/** A support of a segment of the answer, whose offsets are bytes. */
const support = (answer: string, text: string, ...groundingChunkIndices: readonly number[]): Json => {
  const startIndex = bytes(answer.slice(0, answer.indexOf(text)));
  const start = startIndex === 0 ? {} : { startIndex };
  return {
    segment: { ...start, endIndex: startIndex + bytes(text), text },
    groundingChunkIndices,
    confidenceScores: groundingChunkIndices.map(() => 0.9),
  };
};

const rangeOf = (answer: string, text: string) => ({
  start: answer.indexOf(text),
  end: answer.indexOf(text) + text.length,
});

const fair = "Die Messe 🎪 in Köln öffnet am 3. Mai. ";
const price = "Ein Ticket kostet 20 €.";
const answer = fair + price;
const searched: Json = {
  groundingMetadata: {
    webSearchQueries: ["messe köln"],
    searchEntryPoint: { renderedContent: "<div>…</div>" },
    groundingChunks: [
      { web: { uri: "https://fair.example/termine", title: "fair.example" } },
      { web: { uri: "https://tickets.example/", title: "tickets.example" } },
      { web: { uri: "https://unused.example/", title: "unused.example" } },
    ],
    groundingSupports: [support(answer, fair.trimEnd(), 0), support(answer, price, 0, 1)],
  },
};
const searchSources = [
  {
    type: "source",
    id: "source-1",
    sourceType: "url",
    url: "https://fair.example/termine",
    title: "fair.example",
    ranges: [rangeOf(answer, fair.trimEnd()), rangeOf(answer, price)],
  },
  { type: "source", id: "source-2", url: "https://tickets.example/", ranges: [rangeOf(answer, price)] },
  { type: "source", id: "source-3", url: "https://unused.example/" },
];

const chunk = (uri: string): Json => ({ web: { uri, title: uri } });
const [a, b] = ["https://a.example/", "https://b.example/"];
const grown: Json = {
  groundingMetadata: {
    groundingChunks: [chunk(b), chunk(a), chunk(a)],
    groundingSupports: [support(answer, price, 0), support(answer, fair.trimEnd(), 2)],
  },
};

const place = "Café Zoë has the best soup.";
const mapped: Json = {
  groundingMetadata: {
    groundingChunks: [
      { maps: { uri: "https://maps.google.com/?cid=1", title: "Café Zoë", placeId: "places/p1" } },
    ],
    groundingSupports: [support(place, "Café Zoë", 0)],
    googleMapsWidgetContextToken: "widgetcontent/t",
  },
};

const files = "Refunds take 14 days.";
const retrieved: Json = {
  groundingMetadata: {
    groundingChunks: [
      {
        retrievedContext: {
          title: "terms.pdf",
          text: "Refunds: 14 days",
          fileSearchStore: "fileSearchStores/s1",
          pageNumber: 3,
        },
      },
      { retrievedContext: { title: "terms.pdf", text: "…", fileSearchStore: "fileSearchStores/s1" } },
      { retrievedContext: { uri: "gs://bucket/faq.txt", title: "FAQ" } },
    ],
    groundingSupports: [support(files, files, 0, 2)],
  },
};

const pages: Json = {
  urlContextMetadata: {
    urlMetadata: [
      { retrievedUrl: "https://a.example/", urlRetrievalStatus: "URL_RETRIEVAL_STATUS_SUCCESS" },
      { retrievedUrl: "https://gone.example/", urlRetrievalStatus: "URL_RETRIEVAL_STATUS_ERROR" },
    ],
  },
};

const recited: Json = {
  citationMetadata: {
    citationSources: [
      {
        startIndex: bytes("Über "),
        endIndex: bytes("Über allen"),
        uri: "https://poems.example/",
        license: "PD",
      },
    ],
  },
};

const searches: readonly Json[] = [
  {
    toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["northernmost city"] } },
    thoughtSignature: "s-1",
  },
  {
    toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", response: { search_suggestions: "<div/>" } },
    thoughtSignature: "s-2",
  },
  { functionCall: { id: "c1", name: "weather", args: { city: "Barrow" } }, thoughtSignature: "s-3" },
];

const urls = (id: string, url: string): Json => ({
  toolCall: { id, toolType: "URL_CONTEXT", args: { urls: [url] } },
});
const read = (id: string): Json => ({ toolResponse: { id, toolType: "URL_CONTEXT", response: {} } });
const readPage: readonly Json[] = [
  ...[urls("t1", "https://a.example/"), urls("t2", "https://b.example/")],
  ...[read("t2"), read("r1"), { text: "It says so." }],
];

const code: readonly Json[] = [
  { text: "I compute it. " },
  { executableCode: { id: "e1", language: "PYTHON", code: "print(6*7)" }, thoughtSignature: "s-1" },
  { codeExecutionResult: { id: "e1", outcome: "OUTCOME_OK", output: "42\n" } },
  { text: "It is 42." },
];
const second: Json = {
  groundingMetadata: {
    groundingChunks: [{ web: { uri: "https://a.example/", title: "A" } }],
    groundingSupports: [
      { segment: { endIndex: 9, partIndex: 3, text: "It is 42." }, groundingChunkIndices: [0] },
    ],
  },
};

const thought: Json = { text: "Let me see.", thought: true };
const again: readonly Json[] = [thought, { text: "Yes. " }, ...code.slice(1, 3), { text: "Yes. No." }];
const third: Json = {
  groundingMetadata: {
    groundingChunks: [{ web: { uri: "https://a.example/", title: "A" } }],
    groundingSupports: [{ segment: { endIndex: 4, partIndex: 4, text: "Yes." }, groundingChunkIndices: [0] }],
  },
};

export const grounding: readonly Recording[] = [
  {
    feature: "web search",
    name: "cites pages for segments in bytes, which the stream's last event has",
    documented,
    model: "gemini-3.8-flash",
    agent: agentWith({ tools: [{ googleSearch: {} }] }),
    replies: [
      replied([[{ text: fair }], [{ text: price.slice(0, 4) }], [{ text: price.slice(4) }]], searched),
    ],
    requested: { tools: [{ googleSearch: {} }] },
    outcome: { status: "completed", output: answer },
    kept: [
      {
        content: [{ type: "text", text: answer }, ...searchSources],
        providerMetadata: { google: searched },
      },
    ],
    sentBack: [model({ text: answer })],
  },
  {
    feature: "web search",
    name: "the stream repeats the pages it has told, with further ones",
    documented,
    model: "gemini-3.8-flash",
    agent: agentWith({ tools: [{ googleSearch: {} }] }),
    replies: [
      {
        whole: reply([{ text: answer }], searched),
        events: [
          event([{ text: fair }], {
            groundingMetadata: {
              groundingChunks: [{ web: { uri: "https://fair.example/termine", title: "fair.example" } }],
              groundingSupports: [support(answer, fair.trimEnd(), 0)],
            },
          }),
          reply([{ text: price }], searched),
        ],
      },
    ],
    outcome: { status: "completed", output: answer },
    kept: [
      {
        content: [{ type: "text", text: answer }, ...searchSources],
        providerMetadata: { google: searched },
      },
    ],
    sentBack: [model({ text: answer })],
  },
  {
    feature: "web search",
    name: "the stream tells the pages again in another order, and null behind them",
    documented,
    model: "gemini-3.8-flash",
    agent: agentWith({ tools: [{ googleSearch: {} }] }),
    replies: [
      {
        whole: reply([{ text: answer }], grown),
        events: [
          event([{ text: fair }], { groundingMetadata: { groundingChunks: [chunk(a)] } }),
          event([{ text: price }], grown),
          reply([], { groundingMetadata: null }),
        ],
      },
    ],
    outcome: { status: "completed", output: answer },
    kept: [
      {
        content: [
          { type: "text", text: answer },
          { type: "source", url: b, ranges: [rangeOf(answer, price)] },
          { type: "source", url: a, ranges: [rangeOf(answer, fair.trimEnd())] },
        ],
        providerMetadata: { google: grown },
      },
    ],
    sentBack: [model({ text: answer })],
  },
  {
    feature: "web search",
    name: "beside the agent's tools, its calls are parts with ids and signatures",
    documented: "https://ai.google.dev/gemini-api/docs/tool-combination",
    model: "gemini-3.8-flash",
    agent: { tools: [weather], ...agentWith({ tools: [{ googleSearch: {} }] }) },
    replies: [replied(searches.map((part) => [part])), says("Sun.")],
    requested: {
      tools: [{ functionDeclarations: [{ name: "weather" }] }, { googleSearch: {} }],
      toolConfig: { includeServerSideToolInvocations: true },
    },
    outcome: { status: "completed", output: "Sun." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "t1", name: "GOOGLE_SEARCH_WEB" },
          { type: "provider-tool-result", id: "t1", name: "GOOGLE_SEARCH_WEB" },
          { type: "tool-call", id: "c1" },
        ],
      },
      {},
      {},
    ],
    ran: [["weather", { city: "Barrow" }]],
    sentBack: [
      model(...searches),
      results({ id: "c1", name: "weather", response: { output: "Sun in Barrow." } }),
      model({ text: "Sun." }),
    ],
  },
  {
    feature: "URL context",
    name: "a result has another id than its call",
    documented: "https://ai.google.dev/gemini-api/docs/tool-combination",
    model: "gemini-3.8-flash",
    agent: { tools: [weather], ...agentWith({ tools: [{ urlContext: {} }] }) },
    replies: [replied(readPage.map((part) => [part]))],
    outcome: { status: "completed", output: "It says so." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "t1", name: "URL_CONTEXT" },
          { type: "provider-tool-call", id: "t2", name: "URL_CONTEXT" },
          { type: "provider-tool-result", id: "t2", name: "URL_CONTEXT" },
          { type: "provider-tool-result", id: "t1", name: "URL_CONTEXT" },
          { type: "text", text: "It says so." },
        ],
      },
    ],
    sentBack: [model(...readPage)],
  },
  {
    feature: "maps",
    name: "cites a place",
    documented: "https://ai.google.dev/gemini-api/docs/maps-grounding",
    model: "gemini-3.8-flash",
    agent: agentWith({
      tools: [{ googleMaps: { enableWidget: true } }],
      toolConfig: { retrievalConfig: { latLng: { latitude: 50.9, longitude: 6.9 }, languageCode: "de" } },
    }),
    replies: [replied([[{ text: place.slice(0, 3) }], [{ text: place.slice(3) }]], mapped)],
    requested: {
      tools: [{ googleMaps: { enableWidget: true } }],
      toolConfig: { retrievalConfig: { latLng: { latitude: 50.9, longitude: 6.9 }, languageCode: "de" } },
    },
    outcome: { status: "completed", output: place },
    kept: [
      {
        content: [
          { type: "text", text: place },
          {
            type: "source",
            sourceType: "url",
            url: "https://maps.google.com/?cid=1",
            title: "Café Zoë",
            ranges: [{ start: 0, end: 8 }],
          },
        ],
        providerMetadata: { google: mapped },
      },
    ],
    sentBack: [model({ text: place })],
  },
  {
    feature: "file search",
    name: "cites documents, one of them in two chunks",
    documented: "https://ai.google.dev/gemini-api/docs/file-search",
    model: "gemini-3.8-flash",
    agent: agentWith({ tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/s1"], topK: 5 } }] }),
    replies: [replied([[{ text: files }]], retrieved)],
    requested: { tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/s1"], topK: 5 } }] },
    outcome: { status: "completed", output: files },
    kept: [
      {
        content: [
          { type: "text", text: files },
          {
            type: "source",
            sourceType: "document",
            title: "terms.pdf",
            ranges: [{ start: 0, end: files.length }],
          },
          {
            type: "source",
            sourceType: "document",
            title: "FAQ",
            filename: "faq.txt",
            ranges: [{ start: 0, end: files.length }],
          },
        ],
        providerMetadata: { google: retrieved },
      },
    ],
    sentBack: [model({ text: files })],
  },
  {
    feature: "file search",
    name: "knows only the store of a document, or only its name",
    documented: "https://ai.google.dev/api/generate-content#RetrievedContext",
    model: "gemini-3.8-flash",
    agent: agentWith({ tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/s1"] } }] }),
    replies: [
      replied([[{ text: files }]], {
        groundingMetadata: {
          groundingChunks: [
            { retrievedContext: { text: "14 days", fileSearchStore: "fileSearchStores/s1" } },
            { retrievedContext: { documentName: "projects/p/documents/d1" } },
          ],
          groundingSupports: [support(files, files, 0)],
        },
      }),
    ],
    outcome: { status: "completed", output: files },
    kept: [
      {
        content: [
          { type: "text", text: files },
          {
            type: "source",
            sourceType: "document",
            filename: "s1",
            ranges: [{ start: 0, end: files.length }],
          },
          { type: "source", sourceType: "document", filename: "d1" },
        ],
      },
    ],
    sentBack: [model({ text: files })],
  },
  {
    feature: "URL context",
    name: "names the pages that were read",
    documented: "https://ai.google.dev/gemini-api/docs/url-context",
    model: "gemini-3.8-flash",
    agent: agentWith({ tools: [{ urlContext: {} }] }),
    replies: [
      replied([[{ text: "It says so." }]], pages, {
        usageMetadata: {
          promptTokenCount: 27,
          candidatesTokenCount: 45,
          thoughtsTokenCount: 31,
          toolUsePromptTokenCount: 10309,
          cachedContentTokenCount: 8,
          totalTokenCount: 10412,
          toolUsePromptTokensDetails: [{ modality: "TEXT", tokenCount: 10309 }],
        },
      }),
    ],
    requested: { tools: [{ urlContext: {} }] },
    outcome: { status: "completed", output: "It says so." },
    kept: [
      {
        content: [
          { type: "text", text: "It says so." },
          { type: "source", sourceType: "url", url: "https://a.example/" },
        ],
        providerMetadata: {
          google: {
            ...pages,
            usageMetadata: {
              toolUsePromptTokenCount: 10309,
              toolUsePromptTokensDetails: [{ modality: "TEXT", tokenCount: 10309 }],
            },
          },
        },
      },
    ],
    sentBack: [model({ text: "It says so." })],
    usage: [{ inputTokens: 10336, outputTokens: 76, cachedInputTokens: 8, reasoningTokens: 31 }],
  },
  {
    feature: "sources",
    name: "names what the reply recites",
    documented: "https://ai.google.dev/api/generate-content#citationmetadata",
    model: "gemini-3.8-flash",
    replies: [replied([[{ text: "Über al" }], [{ text: "len Gipfeln" }]], recited)],
    outcome: { status: "completed", output: "Über allen Gipfeln" },
    kept: [
      {
        content: [
          { type: "text", text: "Über allen Gipfeln" },
          { type: "source", url: "https://poems.example/", ranges: [{ start: 5, end: 10 }] },
        ],
        providerMetadata: { google: recited },
      },
    ],
    sentBack: [model({ text: "Über allen Gipfeln" })],
  },
  {
    feature: "code execution",
    name: "runs code between two texts, of which the second cites a page",
    documented: "https://ai.google.dev/gemini-api/docs/code-execution",
    model: "gemini-3.8-flash",
    agent: agentWith({ tools: [{ codeExecution: {} }] }),
    replies: [
      replied(
        code.map((part) => [part]),
        second,
      ),
    ],
    requested: { tools: [{ codeExecution: {} }] },
    outcome: { status: "completed", output: "I compute it. \nIt is 42." },
    kept: [
      {
        content: [
          { type: "text", text: "I compute it. " },
          { type: "provider-tool-call", id: "e1", name: "code_execution" },
          { type: "provider-tool-result", id: "e1", name: "code_execution" },
          { type: "text", text: "It is 42." },
          { type: "source", url: "https://a.example/", ranges: [{ start: 0, end: 9 }] },
        ],
      },
    ],
    sentBack: [model(...code)],
  },
  {
    feature: "code execution",
    name: "the stream cuts a thought and a text before the text that cites a page, in the same words",
    documented: "https://ai.google.dev/api/generate-content#Segment",
    model: "gemini-3.8-flash",
    agent: agentWith({ tools: [{ codeExecution: {} }] }),
    replies: [
      {
        whole: reply(again, third),
        events: [
          event([{ ...thought, text: "Let " }]),
          event([{ ...thought, text: "me see." }, { text: "Ye" }]),
          event([{ text: "s. " }]),
          ...again.slice(2, 4).map((part) => event([part])),
          event([{ text: "Yes. " }]),
          reply([{ text: "No." }], third),
        ],
      },
    ],
    outcome: { status: "completed", output: "Yes. \nYes. No." },
    kept: [
      {
        content: [
          { type: "reasoning", text: "Let me see." },
          { type: "text", text: "Yes. " },
          { type: "provider-tool-call", id: "e1" },
          { type: "provider-tool-result", id: "e1" },
          { type: "text", text: "Yes. No." },
          { type: "source", url: "https://a.example/", ranges: [{ start: 0, end: 4 }] },
        ],
      },
    ],
    sentBack: [model(...again)],
  },
];
