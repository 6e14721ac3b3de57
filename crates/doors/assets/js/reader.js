// @ts-check
// Entry point of the reading view.

import { startCounts } from "./counts.js";
import { startKeys } from "./keys.js";
import { startLabels } from "./labels.js";
import { startList } from "./list.js";
import { recount, startLive } from "./live.js";
import { startLooks } from "./looks.js";
import { showWaiting, startMarks } from "./marks.js";
import { startMedia } from "./media.js";
import { startOffline, tellWaiting } from "./offline.js";
import { startPictures } from "./pictures.js";
import { startQueue } from "./queue.js";
import { toastError } from "./toast.js";
import { startTree } from "./tree.js";

startLooks();
startTree();
startCounts();
startMarks(recount);
startList(recount);
startLabels();
startKeys();
startMedia();
startPictures();
startQueue(tellWaiting, (_, error) => toastError(error), showWaiting);
startLive();
startOffline();
