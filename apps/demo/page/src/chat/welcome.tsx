import { useEffect, useState } from "preact/hooks";
import { conversation } from "../models/app-models.ts";
import { type DemoAbout, demo } from "../models/server.ts";
import { SUGGESTIONS } from "../tour/suggestions.ts";

export function Welcome() {
  const [about, setAbout] = useState<DemoAbout>();
  useEffect(() => {
    demo.about().then(setAbout, () => {});
  }, []);
  return (
    <div class="welcome">
      <h2>What is on your mind?</h2>
      <p>What you say here is remembered, in every conversation, and only in your own words.</p>
      <ul>
        {SUGGESTIONS.map((text) => (
          <li key={text}>
            <button type="button" onClick={() => void conversation.send(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
      {about !== undefined && (
        <p class="about">
          {about.model} {about.store}
        </p>
      )}
    </div>
  );
}
