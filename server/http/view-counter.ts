/** Counts page views of the form by the requests that tell of them. */
import type {Request} from 'express';
import type {EmbedVersion} from '../versions/embed-versions.ts';
import {unlisted, type RequestCounter, type ViewStage} from '../versions/request-counts.ts';
import {partnerOf} from './request-context.ts';

/** @param version what the form names, if it does */
export type CountView = (request: Request, stage: ViewStage, version?: unknown) => void;

/** A version that the server lacks has no name of its own: otherwise anybody could fill the table. */
export const viewCounter =
  (versions: readonly EmbedVersion[], {countView}: Pick<RequestCounter, 'countView'>): CountView =>
  (request, stage, version) => {
    const known = versions.find(({name}) => name === version)?.name ?? unlisted.other;
    countView(
      {partner: partnerOf(request), stage, version: version === undefined ? version : known},
      request.get('Origin'),
      request.get('Sec-Fetch-Site'),
    );
  };
