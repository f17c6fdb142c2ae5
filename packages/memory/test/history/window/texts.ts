/** At least one sentence in each of several scripts. */
export const TEXTS = {
  English: "The quick brown fox jumps over the lazy dog, and then it goes home to sleep.",
  JSON: '{"id":12345,"name":"Bob","tags":["a","b"],"price":19.99,"ok":true}',
  Chinese: "今天早上我去商店为全家人买了面包、牛奶和一些苹果，然后回家做饭。",
  Hebrew: "הבוקר הלכתי לחנות וקניתי לחם, חלב וכמה תפוחים לכל המשפחה.",
  Amharic: "ዛሬ ጠዋት ወደ ሱቅ ሄጄ ለቤተሰቡ ዳቦ፣ ወተት እና ፖም ገዛሁ።",
  Georgian: "დღეს დილით მაღაზიაში წავედი და ოჯახისთვის პური ვიყიდე.",
  emoji: "😀🎉👨‍👩‍👧‍👦🇩🇪🚀🔥❤️🥺",
};
