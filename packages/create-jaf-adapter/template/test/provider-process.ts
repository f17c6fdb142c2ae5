// The kit starts this file as a second process, to test that two processes can use one storage at the same time.
import { serveProviders } from "@jaf/memory/testing";
import { createMyStoreProvider } from "../src/index.ts";

serveProviders((location: string) => createMyStoreProvider({ location }));
