import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openPool, reversedServerBackends, reversedServerStores } from "../support/user-memory.ts";

describeUserMemoryBackend("postgres, wrapped", reversedServerBackends(openPool));
describeUserMemory("postgres, wrapped", reversedServerStores(openPool));
