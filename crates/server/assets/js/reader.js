// @ts-check
// Entry point of the reading view.

import { startAppearance } from "./appearance.js";
import { startBell } from "./bell.js";
import { startBulkMarks } from "./bulk-marks.js";
import { startColumns } from "./columns.js";
import { startCounts } from "./counts.js";
import { startImages } from "./images.js";
import { startLabels } from "./labels.js";
import { startList } from "./list.js";
import { startLive } from "./live.js";
import { startLiveConnection } from "./live-connection.js";
import { showQueued, startMarks } from "./marks.js";
import { startMedia } from "./media.js";
import { showPending, startOffline } from "./offline.js";
import { startQueue } from "./queue.js";
import { startShortcuts } from "./shortcuts.js";
import { toastError } from "./toast.js";
import { startTree } from "./tree.js";
import { startTreeMenu } from "./tree-menu.js";

startAppearance();
startTree();
startTreeMenu();
startColumns();
startCounts();
startMarks();
startList();
startBulkMarks();
startLabels();
startShortcuts();
startMedia();
startImages();
startQueue({ onPending: showPending, onRejected: toastError }, showQueued);
startLive();
startBell();
startLiveConnection();
startOffline();
