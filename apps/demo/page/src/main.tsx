import "./styles/base.css";
import "./styles/layout.css";
import "./styles/chat.css";
import "./styles/pages.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { startModels } from "./models/app-models.ts";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
startModels();
