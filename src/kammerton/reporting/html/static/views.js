"use strict";
// Items laid out: timelines, piano rolls, trees.
