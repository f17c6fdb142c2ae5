import type { JsonObject } from "../../fakes/service.ts";
import type { Recording } from "../recording.ts";
import { assistant, documentation, MODEL, recorded, text } from "./message.ts";

const CITATIONS = documentation("build-with-claude/citations");

const cited = (type: string, document_index: number, document_title: string | null, further: JsonObject) => ({
  ...{ type, document_index, document_title, cited_text: "…", file_id: null },
  ...further,
});

const plain = cited("char_location", 0, "Report", { start_char_index: 0, end_char_index: 9 });
const pdf = cited("page_location", 1, "Report", { start_page_number: 2, end_page_number: 3 });
const own = cited("content_block_location", 2, null, { start_block_index: 0, end_block_index: 1 });

const documents = [
  text("It grew", [plain]),
  text(" 🌱, "),
  text("as planned", [pdf, own]),
  text(", "),
  text("twice", [plain]),
];

const result = (source: string, title: string | null) => ({
  ...{ type: "search_result_location", search_result_index: 0, source, title, cited_text: "…" },
  ...{ start_block_index: 0, end_block_index: 1 },
});
const results = [
  text("Keys expire.", [result("https://docs.example/keys", "Keys"), result("handbook-7", "Handbook")]),
];

export const citations: readonly Recording[] = [
  {
    feature: "sources",
    name: "of three documents",
    documented: CITATIONS,
    model: MODEL,
    replies: [recorded(documents)],
    outcome: { status: "completed", output: "It grew 🌱, as planned, twice" },
    kept: [
      {
        content: [
          { type: "text", text: "It grew 🌱, as planned, twice" },
          {
            ...{ type: "source", id: "source-1", sourceType: "document", title: "Report" },
            ranges: [
              { start: 0, end: 7 },
              { start: 24, end: 29 },
            ],
          },
          {
            ...{ type: "source", id: "source-2", sourceType: "document", title: "Report" },
            ...{ mediaType: "application/pdf", ranges: [{ start: 12, end: 22 }] },
          },
          { type: "source", id: "source-3", sourceType: "document", ranges: [{ start: 12, end: 22 }] },
        ],
      },
    ],
    sentBack: [assistant(...documents)],
  },
  {
    feature: "sources",
    name: "of search results, with an address and without",
    documented: documentation("build-with-claude/search-results"),
    model: MODEL,
    replies: [recorded(results)],
    outcome: { status: "completed", output: "Keys expire." },
    kept: [
      {
        content: [
          { type: "text", text: "Keys expire." },
          { type: "source", sourceType: "url", url: "https://docs.example/keys", title: "Keys" },
          { type: "source", sourceType: "document", title: "Handbook" },
        ],
      },
    ],
    sentBack: [assistant(...results)],
  },
];
