import { serveProviders } from "@jaf/memory/testing";
import { createSqliteProvider } from "../../src/index.ts";

/** Serves providers to the conformance kit, each with a connection of its own. */
serveProviders((file: string) => createSqliteProvider({ file }));
