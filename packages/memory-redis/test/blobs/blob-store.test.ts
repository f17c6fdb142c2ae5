import { describeBlobStoreOn } from "../support/blob-store.ts";

describeBlobStoreOn("node-redis");
