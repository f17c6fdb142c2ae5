import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createRoutedApp } from "../../src/app.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { assistant, saying } from "./test-server.ts";

const { operations, close } = await createRoutedApp(
  [assistant],
  { modelProvider: saying("Hi.") },
  { defaultMemoryProvider: createInMemoryProvider(), turnLog: createInMemoryTurnLog() },
);
await close();

/** The operations of a server with their schemas. */
export { operations };

export const document = openApiDocument(operations) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
};

interface Documented {
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

export interface DocumentedOperation extends Documented {
  /** The method in capitals and the path, e.g. `GET /facts/{factId}`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

export const documentedOperations: readonly DocumentedOperation[] = Object.entries(document.paths).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([name, operation]) => {
      const method = name.toUpperCase();
      return { ...operation, name: `${method} ${path}`, method, path };
    }),
);

/** Returns each status with each of its media types, e.g. `200 text/event-stream`, or only `204`. */
export const documentedAnswers = ({ responses }: Documented): string[] =>
  Object.entries(responses).flatMap(([status, { content }]) =>
    content === undefined ? [status] : Object.keys(content).map((type) => `${status} ${type}`),
  );
